#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the program in the README compiles unchanged with the build's compiler, and that its loss falls.
installed.py tests the README with an installed Cutset."""
import os
import re
import subprocess
import sys
import tempfile

import readme

source, build = map(os.path.abspath, sys.argv[1:3])
compiler = sys.argv[3]
devices = subprocess.run([f"{build}/bin/cutset", "devices"], capture_output=True, text=True).stdout
missing = [f"{d}:0" for d in ("cpu", "opencl") if not re.search(rf"^{d}:0 +\w+ +yes", devices, re.M)]
if not os.path.exists("/usr/share/datasets/fashion-mnist"):
    missing.append("Fashion-MNIST")
if missing:
    print(f"skipped: the program of the README: {' and '.join(missing)} cannot be found")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    open(f"{folder}/first.cc", "w").write(readme.program(source))
    flags = ["-std=c++20", f"-I{source}", f"-I{source}/frontends/cpp/include", f"-I{build}/generated",
             f"-I{build}/generated/include"]
    subprocess.run([compiler, *flags, f"{folder}/first.cc", "-o", f"{folder}/first", f"-L{build}/lib",
                    "-lcutset", "-lcutset_runtime", f"-Wl,-rpath,{build}/lib"], check=True)
    losses = []
    with subprocess.Popen([f"{folder}/first"], cwd=folder, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            losses.append(float(line))
            if len(losses) == 300:
                running.kill()
                break
    assert len(losses) == 300, f"only {len(losses)} losses"
    first, last = sum(losses[:20]) / 20, sum(losses[-20:]) / 20
    assert first > 2.0 and last < 1.0, (first, last)
    dot = open(f"{folder}/lenet.dot").read()
    assert 'label="opencl:0"' in dot and 'label="cpu:0"' in dot
print(f"mean loss {first:.2f}, then {last:.2f}")
