#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks with clang-format that every C and C++ file is formatted as `.clang-format` says. `.ci/run` calls
this script before it builds anything, and CTest calls it too, so that whoever runs the tests before a commit
learns of a misformatted line. Exits with 77 (skipped) where clang-format is missing."""
import shutil
import subprocess
import sys

from source_files import source_files

source = sys.argv[1]
FORMATTER = "clang-format-22"
if not shutil.which(FORMATTER):
    print(f"skipped: {FORMATTER} was not found; third_party/setup.sh installs it")
    sys.exit(77)
files = source_files(source, (".cc", ".h", ".c"))
if not files:
    sys.exit(f"{source} has no source files")
for first in range(0, len(files), 200):
    done = subprocess.run([FORMATTER, "--dry-run", "--Werror", *files[first:first + 200]], cwd=source)
    if done.returncode:
        sys.exit(f"A source file is not formatted. `{FORMATTER} -i FILE` formats it.")
print(f"{len(files)} source files are formatted")
