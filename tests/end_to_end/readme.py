# SPDX-License-Identifier: Apache-2.0
"""Extracts the code of the README and of docs/testing.md, for the scripts that compile and run it."""
import re
import textwrap


def blocks(path, title):
    """Returns the indented blocks under a heading of a page, in their order."""
    text = open(path, encoding="utf-8").read()
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", section, re.M)
    return [textwrap.dedent(block) for block in found]


def program(source):
    """Returns the program of the README."""
    (text,) = blocks(f"{source}/README.md", "A first program")
    assert "int main()" in text
    return text


def project(source):
    """Returns the CMakeLists.txt and the model_test.cc of a project with a test of a graph."""
    lists, test = blocks(f"{source}/docs/testing.md", "Tests of your graphs")
    assert "find_package(cutset" in lists and "TEST" in test
    return lists, test
