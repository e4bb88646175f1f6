#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every name that a header declares has the style of .clang-tidy.

Usage: naming.py SOURCE BUILD. clang-tidy reads all headers at once; each name of another style is printed.
Exits with 77 (skipped) where clang-tidy is missing."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, build = (os.path.realpath(p) for p in sys.argv[1:3])
tidy = shutil.which("clang-tidy-22")
if not tidy:
    print("skipped: clang-tidy-22 was not found; third_party/setup.sh installs it")
    sys.exit(77)
llvm = subprocess.run(["llvm-config-22", "--includedir"], capture_output=True, text=True,
                      check=True).stdout.strip()
FOLDERS = ("graph", "ir", "passes", "runtime", "frontends")
# The headers of backends and of the command line are left out, because they include headers of vendors.
EXCLUDED = ("frontends/cli/",)
headers = sorted(os.path.relpath(os.path.join(at, f), source) for folder in FOLDERS for at, _,
                 files in os.walk(os.path.join(source, folder))
                 for f in files if f.endswith(".h"))
headers = [h for h in headers if not h.startswith(EXCLUDED)]
with tempfile.TemporaryDirectory() as temporary:
    unit = os.path.join(temporary, "headers.cc")
    with open(unit, "w") as out:
        out.writelines(f'#include "{h}"\n' for h in headers)
    done = subprocess.run([tidy, f"--config-file={source}/.clang-tidy",
                           "--checks=-*,readability-identifier-naming", "--quiet", unit, "--", "-std=c++20",
                           "-I", source, "-I", f"{source}/frontends/cpp/include", "-I",
                           f"{source}/frontends/onnx/include", "-isystem", f"{build}/generated", "-isystem",
                           f"{build}/generated/include", "-isystem", f"{build}/generated/onnx",
                           "-isystem", llvm], capture_output=True, text=True)
lines = [line.replace(source + "/", "") for line in done.stdout.splitlines()]
wrong = [line for line in lines if "readability-identifier-naming" in line]
broken = [line for line in lines if "error:" in line and line not in wrong]
print("\n".join(broken[:10] + wrong))
assert not broken, "clang-tidy could not read the headers"
assert done.returncode == 0 or wrong, done.stderr
assert len(headers) > 100, f"only {len(headers)} headers were found"
print(f"{len(wrong)} names in {len(headers)} headers have another style")
sys.exit(bool(wrong))
