#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a statement does one thing, and that a function fits on a page.

Usage: statements.py SOURCE [BUILD]. Prints statements that are joined by commas, at which a debugger cannot
stop one by one, and functions of more than 60 lines. Tables of tests may be longer."""
import os
import sys

from cpp_text import functions, joined_statements, without_texts
from source_files import source_files

LINES = 60


def is_test(path):
    return path.startswith("tests/") or path.endswith("_test.cc")


def problems_of(path, code):
    for line in joined_statements(code):
        yield f"{path}:{line}: a comma joins statements; end each with ';'"
    for line, lines in functions(code):
        if lines > LINES and not is_test(path):
            yield f"{path}:{line}: a function of {lines} lines; at most {LINES}"


def check_the_checks():
    """Tests that the checks find the statements that are not allowed, and accept statements that resemble
    them."""
    bad = without_texts("void f() {\n  int a, b;\n  a = 1, b = 2;\n  if (a) g(), h();\n  return a = 1, "
                        "b;\n}\n")
    assert list(joined_statements(bad)) == [3, 4, 5], list(joined_statements(bad))
    good = without_texts('void f() {\n  std::map<int, int> a, b;\n  for (;; ++i, ++j) g(1, 2);\n  a = {1, '
                         '2};\n'
                         '  const auto [x, y] = h();\n  const char* const p = q, *const r = s;\n'
                         '  s = "1, 2"; // a, b\n  enum { kA, kB };\n}\n')
    assert not list(joined_statements(good)), list(joined_statements(good))
    long = "namespace n {\nvoid f() {\n" + "  g();\n" * LINES + "}\n}\n"
    assert list(functions(without_texts(long))) == [(2, LINES + 2)]


def main():
    check_the_checks()
    source = sys.argv[1]
    files = source_files(source, (".cc", ".h", ".c"))
    problems = []
    for path in files:
        with open(os.path.join(source, path), encoding="utf-8") as file:
            problems += problems_of(path, without_texts(file.read()))
    print("\n".join(problems))
    print(f"{len(problems)} problems in {len(files)} files")
    return bool(problems) or len(files) < 1000


if __name__ == "__main__":
    sys.exit(main())
