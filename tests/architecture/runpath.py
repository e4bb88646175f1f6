#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the search paths (RUNPATH or RPATH) of the built programs and libraries.

The dynamic loader must find every library that a program needs. It resolves an empty or relative element of
the path against the current directory, so a program with such an element would load a library that lies
beside a downloaded model.

    runpath.py SOURCE BUILD
"""
import pathlib
import re
import subprocess
import sys

PATH = re.compile(r"\((?:RUNPATH|RPATH)\)\s+Library (?:runpath|rpath): \[(.*)\]")


def elements(file):
    done = subprocess.run(["readelf", "-d", str(file)], capture_output=True, text=True, check=True)
    return [element for line in PATH.findall(done.stdout) for element in line.split(":")]


def is_safe(element):
    return element == "$ORIGIN" or element.startswith(("$ORIGIN/", "/"))


def main():
    build = pathlib.Path(sys.argv[2])
    files = [f for f in sorted(build.rglob("*")) if f.is_file() and not f.is_symlink() and f.suffix != ".o"
             and f.open("rb").read(4) == b"\x7fELF"]
    names = {f.name for f in files}
    failures = [f"{wanted} is not built, so it cannot be checked"
                for wanted in ("cutset", "libcutset_runtime.so", "libcutset_device_reference.so")
                if wanted not in names]
    checked = 0
    for file in files:
        for element in elements(file):
            checked += 1
            if not is_safe(element):
                failures.append(
                    f"{file}: the element '{element}' of RUNPATH depends on the current directory")
        # Plugins of tests are not checked: the program that opens them has already loaded their libraries.
        if file.parent.name in ("bin", "lib"):
            needed = subprocess.run(["ldd", str(file)], capture_output=True, text=True).stdout
            for line in needed.splitlines():
                if "not found" in line:
                    failures.append(f"{file}: a library that it needs is not found: {line.strip()}")
    print(f"{len(files)} files with {checked} elements were checked")
    for failure in failures:
        print(failure)
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
