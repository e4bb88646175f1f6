#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names its licence in its first two lines, and that no line of C++ or TableGen has
more than 110 columns. Exceptions: the code of kernels in raw strings, tables of values (.inc), and the examples of
ops. clang-format wraps the rest."""
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


paths = [path for path in source_files(source, SOURCES) if not path.startswith("third_party/instances")]
for path in paths:
    text = open(f"{source}/{path}", encoding="utf-8").read()
    if LICENCE not in "\n".join(text.split("\n", 2)[:2]):
        problems.append(f"{path}: the first two lines do not say '{LICENCE}'")
    if re.search(r"\.(cc|h|c|td)$", path):
        problems += [f"{path}:{number}: more than {COLUMNS} columns" for number in wide_lines(text)]
print("\n".join(problems))
print(f"{len(problems)} problems in {len(paths)} files")
sys.exit(1 if problems else 0)
