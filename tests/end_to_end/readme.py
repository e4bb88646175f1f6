"""The code of the README, taken from it word for word."""
import re
import textwrap


def blocks(source, title):
    """The indented blocks under a heading, in their order."""
    text = open(f"{source}/README.md").read()
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", section, re.M)
    return [textwrap.dedent(block) for block in found]


def program(source):
    (text,) = blocks(source, "Twenty lines")
    assert "int main()" in text
    return text


def project(source):
    """CMakeLists.txt and model_test.cc."""
    lists, test = blocks(source, "Your own graphs, tested")
    assert "find_package(cutset" in lists and "TEST" in test
    return lists, test
