#!/usr/bin/env python3
"""Checks with clang-format that every C and C++ file is formatted as `.clang-format` says. `.ci/run` calls this script before it
builds anything, and CTest calls it too, so that whoever runs the tests before a commit learns of a misformatted line. Exits with 77
(skipped) where clang-format is missing."""
import os
import shutil
import subprocess
import sys

source = sys.argv[1]
FORMATTER = "clang-format-22"
if not shutil.which(FORMATTER):
    print(f"skipped: {FORMATTER} was not found; third_party/setup.sh installs it")
    sys.exit(77)
OTHERS = {"build", ".git", ".cache"}  # folders that hold no source files of the project
files = []
for at, folders, names in os.walk(source):
    folders[:] = sorted(f for f in folders if f not in OTHERS)
    files += [os.path.relpath(os.path.join(at, name), source) for name in sorted(names) if name.endswith((".cc", ".h", ".c"))]
if not files:
    sys.exit(f"{source} has no source files")
for first in range(0, len(files), 200):
    done = subprocess.run([FORMATTER, "--dry-run", "--Werror", *files[first:first + 200]], cwd=source)
    if done.returncode:
        sys.exit(f"A source file is not formatted. `{FORMATTER} -i FILE` formats it.")
print(f"{len(files)} source files are formatted")
