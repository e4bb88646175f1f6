#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests a backend that is built outside of this source tree: SCRIPT SOURCE BUILD COMPILER.

Cutset is installed, and the example of the installation is built against it. The devices of the example are
the eight cores of one chip. They train LeNet, together with cpu:0 and as eight replicas, with the losses of
one device."""
import json
import re
import shutil
import subprocess
import sys
import time

import harness
from harness import *

compiler = sys.argv[3]
prefix, example, plugins = f"{folder}/prefix", f"{folder}/example", f"{folder}/build"
library = f"{plugins}/libcutset_device_toy.so"
here = {"CUTSET_BACKEND_PATH": plugins}


# --- the installation and the build
must("cmake", "--install", build, "--prefix", prefix)
harness.cutset = f"{prefix}/bin/cutset"
installed = [os.path.join(at, f) for at, _, files in os.walk(prefix) for f in files if "/doc/" in at]
for name in ("examples/toy/toy.cc", "examples/toy/core.h", "examples/toy/CMakeLists.txt",
             "examples/simulated/device.cc", "add-backend.md"):
    expect(any(path.endswith("/" + name) for path in installed), f"{name} is installed")
toy = next((path for path in installed if path.endswith("/examples/toy/toy.cc")), None)
if toy is None:
    finish()
shutil.copytree(os.path.dirname(toy), example)
lines = sum(len(open(f"{example}/{name}").readlines()) for name in os.listdir(example))
page = open(f"{source}/docs/howto/add-backend.md", encoding="utf-8").read()
expect(page.split("```cmake\n")[1].split("```")[0] in open(f"{example}/CMakeLists.txt").read(),
       "docs/howto/add-backend.md has the commands of the example's CMakeLists.txt")
expect(lines < 450, f"the example has less than 450 lines, not {lines}")
start = time.monotonic()
must("cmake", "-G", "Ninja", "-S", example, "-B", plugins, f"-DCMAKE_PREFIX_PATH={prefix}",
     f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release",
     "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
must("cmake", "--build", plugins)
print(f"the example has {lines} lines and was built in {time.monotonic() - start:.1f} s")

# --- its devices
listed = json.loads(run("devices", "--json", "-", **here).stdout)
expect([d["backend"] for d in listed if d["kind"] == "toy" and d["available"]] == ["toy"],
       "cutset devices lists toy:0")
expect(any("8 cores of one toy chip" in d["description"] for d in listed),
       "the description says that the cores share a chip")
refuse("a core that does not exist", "explain", "lenet", "--devices", "toy:8",
       says="device 'toy:8': a toy chip has 8 cores, toy:0 to toy:7", code=1, **here)
conformance = [f"{prefix}/bin/cutset-conformance", "--plugin", library]
done = subprocess.run([*conformance, "--json", "-"], capture_output=True, text=True, timeout=300,
                      env=environment)
report = json.loads(done.stdout) if done.returncode == 0 else {}
expect(report.get("bad") == 0 and report.get("good", 0) > 45,
       "cutset-conformance finds that every op is correct", done)
relu = next((r for r in report.get("ops", []) if r["op"] == "relu"), {})
expect("relu.toy" in relu.get("kernels", ""),
       f"cutset-conformance has tested the kernel of the example: {relu}")
last = run("devices", "--selftest", "toy:7", **here)
expect(last.returncode == 0, "every op of the last core is correct", last)
abi = subprocess.run([f"{build}/bin/cutset_tests", "--gtest_filter=All/DeviceAbi.*/toy"], capture_output=True,
                     text=True, timeout=300, env={**environment, **here})
expect(abi.returncode == 0 and "[  PASSED  ] 7 tests" in abi.stdout,
       "the order of queues, the end of abandoned waits and the errors are those of the ABI", abi)

# --- training
data = dataset("data")
options = ["--batch", "16", "--data", data]
# The speeds make the planner divide LeNet over both devices.
speeds = f"{folder}/speeds.json"
json.dump({name: {"flops_per_second": 3e9, "bytes_per_second": 5e9, "link_bytes_per_second": 5e10,
                  "link_seconds": 1e-6} for name in ("cpu:0", "toy:0")}, open(speeds, "w"))
pair = ["--devices", "cpu:0,toy:0", "--device-file", speeds]


def train(what, *arguments):
    done = run("train", "lenet", *arguments, *options, "--steps", "6", "--no-evaluate", "--json", "-", **here)
    expect(done.returncode == 0, f"{what}: training", done)
    return json.loads(done.stdout)["loss"] if done.returncode == 0 else []


want = train("reference", "--devices", "reference:0")
eight = ",".join(f"toy:{i}" for i in range(8))
for what, arguments in (("one core", ["--devices", "toy:0"]),
                        ("a divided graph", [*pair, "--strategy", "model"]),
                        ("two replicas", [*pair, "--strategy", "data(2)"]),
                        ("eight replicas", ["--devices", eight, "--strategy", "data(8)"]),
                        ("eight replicas and cpu:0",
                         ["--devices", f"{eight},cpu:0", "--strategy", "mirrored"])):
    got = train(what, *arguments)
    worst = max((abs(a - b) / abs(a) for a, b in zip(want, got)), default=0)
    print(f"{what}: the largest relative difference of a loss is {worst:.1e}")
    expect(len(got) == len(want) == 6 and worst <= 1e-4,
           f"{what}: the losses are those of reference:0, {want}, not {got}")
for what, arguments, name in (("a divided graph", pair, "toy:0"),
                              ("eight replicas", ["--devices", eight, "--strategy", "data(8)"], "toy:3")):
    refuse(f"{what}: a command that fails", "train", "lenet", *arguments, *options, "--steps", "2",
           says=f"{name}: relu: the core is broken", code=1, CUTSET_TOY_BROKEN=name[4:], **here)
placed = run("plan", "lenet", *pair, "--strategy", "model", "--batch", "16", **here)
expect(" cpu:0 0 " in placed.stdout and re.search(r"^op \d+ relu toy:0 0 ", placed.stdout, re.M),
       "both devices have a part of the graph, and toy:0 has a relu", placed)
same = run("verify", "lenet", "--devices", "cpu:0,toy:0", *options, "--json", "-", **here)
expect(same.returncode == 0 and json.loads(same.stdout)[0]["same"],
       "cutset verify says that the program computes the same", same)

# --- a library that nobody has asked for
saved = f"{folder}/saved.cutset"
expect(run("compile", "lenet", "--devices", "cpu:0,toy:0", "--batch", "16", "-o", saved, **here).returncode
       == 0, "a program for the example is saved")
refuse("the saved program is loaded", "run", saved, says="there is no array for 'image'", code=2, **here)
refuse("a saved program does not load a backend", "run", saved, says="no backend for devices of kind 'toy'",
       code=1)
os.chdir(plugins)  # the folder of the library
for path in ({}, {"CUTSET_BACKEND_PATH": ""}, {"CUTSET_BACKEND_PATH": f":{folder}:"},
             {"LD_LIBRARY_PATH": plugins}):
    refuse(f"no backend is loaded from the working directory with {path}", "explain", "lenet",
           "--devices", "toy:0", says="no backend for devices of kind 'toy'", code=1, **path)
expect(run("explain", "lenet", "--devices", "toy:0", CUTSET_BACKEND_PATH=".").returncode == 0,
       "the working directory is searched if the variable names it")

finish()
