#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the C++ code in the documents compiles.

The blocks of a page, read from top to bottom, are one program: the lines that begin with "#include" or
"using" are placed before main, and all others are the body of main. In docs/api.md these are all indented
blocks, in the other pages the fenced blocks "cpp".

In docs/coming-from-pytorch.md, each piece of code in the second column of a table is a statement after the
lines of the page's block. A cell that has words before its code is left out."""
import os
import re
import subprocess
import sys
import tempfile
import textwrap

source, build = map(os.path.abspath, sys.argv[1:3])
compiler = sys.argv[3]
INCLUDES = [source, *(f"{source}/frontends/{api}/include" for api in ("cpp", "onnx")), f"{build}/generated",
            f"{build}/generated/include"]
INDENTED = r"(?m)(?:^    .*\n(?:\n(?=    ))?)+"
FENCED = r"(?ms)(?<=^```cpp\n).*?(?=^```$)"
PAGES = {"docs/api.md": INDENTED, "docs/strategies.md": FENCED, "docs/training.md": FENCED,
         "docs/onnx.md": FENCED}
TABLES = "docs/coming-from-pytorch.md"


def program(lines):
    """Returns a program of lines of code."""
    head = [line for line in lines if re.match(r"#include|using ", line)]
    body = [line for line in lines if not re.match(r"#include|using ", line)]
    return "\n".join([*head, "int main() {", *body, "}", ""])


def cells_of(text):
    """Yields each piece of code in the second column of the tables of a page, with the number of its line."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.strip("| ").split(" | ")
        if line.startswith("| ") and len(cells) == 2 and cells[1].startswith("`"):
            for code in re.findall(r"`([^`]+)`", cells[1].split("`:")[0] + "`"):
                yield number, code


def check_code(folder, page, lines):
    path = f"{folder}/{os.path.basename(page)}.cc"
    open(path, "w", encoding="utf-8").write(program(lines))
    flags = ["-std=c++20", *(f"-I{include}" for include in INCLUDES), "-fsyntax-only", "-Wno-unused-result"]
    if subprocess.run([compiler, *flags, path]).returncode:
        sys.exit(f"the code of {page} does not compile")
    print(f"{page}: {len(lines)} lines compile")


with tempfile.TemporaryDirectory() as folder:
    for page, form in PAGES.items():
        blocks = re.findall(form, open(f"{source}/{page}", encoding="utf-8").read())
        lines = [line for block in blocks for line in textwrap.dedent(block).splitlines()]
        assert len(lines) > 1, f"only {len(lines)} lines of code were found in {page}"
        check_code(folder, page, lines)
    text = open(f"{source}/{TABLES}", encoding="utf-8").read()
    names = re.search(FENCED, text).group(0).splitlines()
    cells = list(cells_of(text))
    assert len(cells) > 100, f"only {len(cells)} pieces of code were found in {TABLES}"
    statements = [text for number, code in cells for text in (f'#line {number} "{TABLES}"', f"{{ {code}; }}")]
    check_code(folder, TABLES, [*names, *statements])
