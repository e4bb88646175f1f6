#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests an op library that is built outside of this source tree: SCRIPT SOURCE BUILD COMPILER.

Cutset is installed, and the example of an op library in its documentation is built against it. A network with
the op of the library is trained, divided, verified, saved and run. Libraries that do not fit are refused with
a reason."""
import json
import os
import shutil
import subprocess
import sys
import time

import harness
from harness import *

compiler = sys.argv[3]
prefix, example, made = f"{folder}/prefix", f"{folder}/example", f"{folder}/build"
library = f"{made}/libcutset_ops_mine.so"
here = {"CUTSET_OP_LIBRARIES": library}


def start(*command, **variables):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder,
                          env={**environment, **variables})


def make(source_folder, build_folder, build_type="Release"):
    must("cmake", "-G", "Ninja", "-S", source_folder, "-B", build_folder, f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_CXX_COMPILER={compiler}",
         f"-DCMAKE_BUILD_TYPE={build_type}", "-DCMAKE_CXX_FLAGS=-Wall")
    must("cmake", "--build", build_folder)


# --- the installation and the build
must("cmake", "--install", build, "--prefix", prefix)
harness.cutset = f"{prefix}/bin/cutset"
installed = [at for at, _, files in os.walk(prefix) if at.endswith("/examples/op_library")
             and "CMakeLists.txt" in files]
expect(len(installed) == 1, "the example is installed")
if not installed:
    finish()
shutil.copytree(installed[0], example)
begin = time.monotonic()
make(example, made)
print(f"the op library, a program and a test were built in {time.monotonic() - begin:.1f} s")
page = open(f"{source}/docs/howto/add-op-library.md", encoding="utf-8").read()
expect(page.split("```cmake\n")[1].split("```")[0] in open(f"{example}/CMakeLists.txt").read(),
       "docs/howto/add-op-library.md has the commands of the example's CMakeLists.txt")
expect("## soft_cap" in open(f"{made}/mine_ops.md").read(), "the documentation of the op is generated")

# --- the op takes part in everything
done = start(f"{made}/mine_test")
expect(done.returncode == 0 and "[  FAILED  ]" not in done.stdout, "the tests of the op pass", done)
want = start(f"{made}/program", "reference:0", "").stdout.split()
expect(len(want) == 30 and float(want[-1]) < 0.9 * float(want[0]),
       f"the loss falls: {want[:1]} to {want[-1:]}")
for devices, strategy in (("cpu:0", ""), ("cpu:0,sim:0", "data(2)"), ("sim:0,sim:1", "tensor(2)"),
                          ("cpu:0,reference:0", "model"), ("sim:0,sim:1", "pipeline(2, micro_batches=4)")):
    done = start(f"{made}/program", devices, strategy)
    losses = done.stdout.split()
    expect(len(losses) == 30 and all(abs(float(a) - float(b)) < 1e-4 * abs(float(b)) for a,
                                     b in zip(losses, want)),
           f"{devices} '{strategy}' has the losses of one device", done)
ops = json.loads(run("ops", "soft_cap", "--json", "-", **here).stdout)
expect([row["kernels"]["cpu:0"] for row in ops] == ["soft_cap.reference"] * len(ops) and len(ops) == 5,
       f"cutset ops lists the kernels of the op: {ops[:1]}")
for device in ("reference:0", "cpu:0", "sim:0"):
    done = start(f"{prefix}/bin/cutset-conformance", device, "--op", "soft_cap", "--json", "-", **here)
    report = json.loads(done.stdout) if done.returncode == 0 else {}
    expect(report.get("good") == 1 and report.get("bad") == 0, f"{device} computes the op", done)
text = ("func.func @f(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {\n  %y = cutset.soft_cap %x <{limit = 3.0e+01 "
        ": f64}> : tensor<4x3xf32>\n  return %y : tensor<4x3xf32>\n}\n")
open(f"{folder}/text.mlir", "w").write(text)
done = start(f"{prefix}/bin/cutset-opt", f"{folder}/text.mlir", **here)
expect(done.returncode == 0 and "cutset.soft_cap %arg0 <{limit = 3.000000e+01 : f64}>" in done.stdout,
       "cutset-opt parses and prints the op", done)

# --- a saved program, on a machine without the compiler
saved = f"{folder}/saved.cutset"
done = start(f"{made}/program", "cpu:0,sim:0", "data(2)", saved)
expect(done.returncode == 0, "the program is saved", done)
done = run("benchmark", saved, "--json", "-", **here)
expect(done.returncode == 0, "the saved program runs", done)
refuse("a saved program without the library", "benchmark", saved, says="there is no op 'soft_cap'", code=1)

# --- what is refused
refuse("a file that does not exist", "ops", "relu", says="cannot load the op library", code=1,
       CUTSET_OP_LIBRARIES=f"{folder}/libcutset_ops_none.so")
refuse("a library without ops", "ops", "relu", says="is not an op library: it registers no ops", code=1,
       CUTSET_OP_LIBRARIES=f"{prefix}/lib/libcutset_testing.so")
other = f"{folder}/other"
os.makedirs(other)
shutil.copy(library, other)
done = start(f"{made}/program", "cpu:0", "", LD_LIBRARY_PATH=other)
expect(done.returncode == 1 and "cannot load the compiler's part of the op library 'mine'" in done.stderr,
       "a library without the compiler's part is refused", done)
shutil.copytree(example, f"{folder}/second")
lists = f"{folder}/second/CMakeLists.txt"
text = open(lists).read().split("add_executable")[0].replace("cutset_add_op_library(mine ",
                                                             "cutset_add_op_library(second ")
open(lists, "w").write(text)
make(f"{folder}/second", f"{folder}/second_build", "Debug")
refuse("two libraries with one op", "ops", "relu", says="the op library 'second' defines 'soft_cap', which "
                                                        "is the name of an op of 'ops/soft_cap' already",
       code=2,
       CUTSET_OP_LIBRARIES=f"{library}:{folder}/second_build/libcutset_ops_second.so")
generated = f"{made}/cutset_ops_mine.generated/library.cc"
old = open(generated).read().replace("CUTSET_VERSION", '"0.0.9"')
open(generated, "w").write(old)
must("cmake", "--build", made)
refuse("a library for another version", "ops", "relu",
       says="an op library was built for version 0.0.9 of Cutset", code=1, **here)
done = start(f"{made}/program", "cpu:0", "")
expect(done.returncode == 1 and "was built for version 0.0.9" in done.stderr,
       "a program that is linked to a library for another version says so", done)
finish()
