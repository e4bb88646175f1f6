#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every op folder has a FileCheck test, and that the test has an error for each constraint of the
.td file.

    constraints.py SOURCE BUILD
"""
import pathlib
import re
import sys


def listed(td):
    """Returns the numbers of the constraints in a .td file: {"C1", "C2"}. An entry "C1 to C3: as ..." refers
    to another op and is not counted."""
    names = set()
    for body in re.findall(r"let constraints = \[(.*?)\];", td, re.S):
        names.update(re.findall(r'"(C\d+): ', body))
    return names


def main():
    source = pathlib.Path(sys.argv[1])
    failures, checked = [], 0
    for td in sorted([*source.glob("ir/ops/*/*.td"), *source.glob("ir/structural/*/*.td")]):
        test = td.with_suffix(".mlir")
        name = test.relative_to(source)
        if not test.exists():
            failures.append(f"{name} is missing")
            continue
        text = test.read_text()
        if not re.search(r"^ *// CHECK: ", text, re.M):
            failures.append(f"{name} has no test of a correct op (a line with '// CHECK: ')")
        errors = "\n".join(re.findall(r"expected-error.*\{\{(.*)\}\}", text))
        for constraint in sorted(listed(td.read_text())):
            checked += 1
            if f"{constraint}: " not in errors:
                failures.append(f"{name} has no error for the constraint {constraint}")
    print(f"{checked} constraints were checked")
    print("\n".join(failures))
    return 1 if failures or checked < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
