#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/generated holds the files that the build generates, and nothing else. The build writes
them there. .ci/run checks that a build changes no page, because then a page was not committed."""
import os
import sys

source, build = sys.argv[1:3]
here, made = f"{source}/docs/generated", f"{build}/generated/docs"
names = sorted({*os.listdir(here), *os.listdir(made)})
read = lambda path: open(path).read() if os.path.exists(path) else None
stale = [name for name in names if read(f"{here}/{name}") != read(f"{made}/{name}")]
for name in stale:
    print(f"docs/generated/{name} is out of date: copy {made}/{name} to it")
sys.exit(bool(stale))
