#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names its licence in its first two lines, and that no line of C++, TableGen
or Python has more than 110 columns. Exceptions: the code of kernels in raw strings, tables of values (.inc),
the examples of ops, and the texts of files in strings of several lines of Python. clang-format wraps C++."""
import ast
import re
import sys

from source_files import source_files

source = sys.argv[1]
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCES = (".cc", ".h", ".c", ".td", ".mlir", ".py", ".cmake", "CMakeLists.txt", ".sh", ".ci/run", ".ci/full")
COLUMNS = 110
problems = []


def wide_lines(text):
    """Yields the number of each line that is too wide, outside of raw strings and examples of ops."""
    raw = example = False
    for number, line in enumerate(text.splitlines(), 1):
        inside = raw or example or 'R"(' in line or "example = [{" in line
        if len(line) > COLUMNS and not inside:
            yield number
        raw = (raw or 'R"(' in line) and ')"' not in line.split('R"(')[-1]
        example = (example or "example = [{" in line) and "}]" not in line


def wide_python_lines(text):
    """Yields the number of each line that is too wide, outside of the texts of files, which are strings of
    several lines. Docstrings count."""
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docstrings:
            lines = text.splitlines()[node.lineno - 1:node.end_lineno]
            if '"""' in lines[0]:
                texts.update(range(node.lineno, node.end_lineno + 1))
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS and number not in texts:
            yield number


paths = [path for path in source_files(source, SOURCES) if not path.startswith("third_party/instances")]
for path in paths:
    text = open(f"{source}/{path}", encoding="utf-8").read()
    if LICENCE not in "\n".join(text.split("\n", 2)[:2]):
        problems.append(f"{path}: the first two lines do not say '{LICENCE}'")
    if re.search(r"\.(cc|h|c|td)$", path):
        problems += [f"{path}:{number}: more than {COLUMNS} columns" for number in wide_lines(text)]
    if path.endswith(".py"):
        problems += [f"{path}:{number}: more than {COLUMNS} columns" for number in wide_python_lines(text)]
print("\n".join(problems))
print(f"{len(problems)} problems in {len(paths)} files")
sys.exit(1 if problems else 0)
