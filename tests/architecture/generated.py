#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/generated holds the files that the build generates, and prints the commands that update
it."""
import os
import sys

source, build = sys.argv[1:3]
stale = []
for name in sorted(os.listdir(f"{source}/docs/generated")):
    made = f"{build}/generated/docs/{name}"
    if not os.path.exists(made) or open(made).read() != open(f"{source}/docs/generated/{name}").read():
        stale.append(name)
for name in stale:
    print(f"docs/generated/{name} is out of date: cp {build}/generated/docs/{name} docs/generated/")
sys.exit(bool(stale))
