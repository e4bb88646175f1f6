#!/usr/bin/env python3
"""docs/generated must be what the build generates; says how to bring it up to date."""
import os
import sys

source, build = sys.argv[1:3]
stale = []
for name in sorted(os.listdir(f"{source}/docs/generated")):
    made = f"{build}/generated/docs/{name}"
    if not os.path.exists(made) or open(made).read() != open(f"{source}/docs/generated/{name}").read():
        stale.append(name)
for name in stale:
    print(f"docs/generated/{name} is not what the build makes: cp {build}/generated/docs/{name} docs/generated/")
sys.exit(bool(stale))
