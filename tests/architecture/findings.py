#!/usr/bin/env python3
"""Checks that every test named in docs/findings.md exists, so that no test of a repaired finding disappears."""
import glob
import os
import re
import sys

source = sys.argv[1]
tests, suites = set(), set()
for path in glob.glob(f"{source}/*/**/*.cc", recursive=True):
    if "/build/" in path[len(source):]:
        continue
    for suite, name in re.findall(r"\bTEST(?:_P|_F)?\((\w+),\s*(\w+)\)", open(path, encoding="utf-8").read()):
        tests.add(f"{suite}.{name}")
        suites.add(suite)
files = {os.path.basename(p) for p in glob.glob(f"{source}/*/**/*.mlir", recursive=True)}
missing, named = [], 0
for name in re.findall(r"`([^`]+)`", open(f"{source}/docs/findings.md", encoding="utf-8").read()):
    plain = name.split("/")[-1]
    if re.fullmatch(r"[A-Z]\w*\.\*", plain):
        known = plain[:-2] in suites
    elif re.fullmatch(r"[A-Z]\w*\.[A-Z]\w*", plain):
        known = plain in tests
    elif re.fullmatch(r"(end_to_end|architecture)\.\w+", name):
        known = os.path.exists(f"{source}/tests/{name.replace('.', '/')}.py")
    elif re.fullmatch(r"\w+\.mlir", name):
        known = name in files
    else:
        continue
    named += 1
    if not known:
        missing.append(name)
print(f"{named} tests are named; {len(missing)} do not exist" + "".join(f"\n  {m}" for m in missing))
sys.exit(bool(missing) or named == 0)
