"""Extracts the code from the README, for the scripts that compile and run it."""
import re
import textwrap


def blocks(source, title):
    """Returns the indented blocks under a heading, in their order."""
    text = open(f"{source}/README.md").read()
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", section, re.M)
    return [textwrap.dedent(block) for block in found]


def program(source):
    """Returns the program of the README."""
    (text,) = blocks(source, "A first program")
    assert "int main()" in text
    return text


def project(source):
    """Returns the CMakeLists.txt and the model_test.cc of the README."""
    lists, test = blocks(source, "Using Cutset in your project")
    assert "find_package(cutset" in lists and "TEST" in test
    return lists, test
