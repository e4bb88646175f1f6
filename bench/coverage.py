#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the branch coverage of the tests per source file.

  bench/coverage.py [--build build/coverage] [--tests REGEX]

Configures and builds the preset `coverage` (instrumented, with clang), runs CTest in it, and prints which
percentage of the branches of each source file of passes/, runtime/ and graph/ the tests took. Files that read
untrusted bytes are marked. Exits with 1 if the coverage is below a goal: 80 % of the branches of passes/ and
of runtime/, and 95 % of the branches of the files that read untrusted bytes."""
import argparse
import glob
import json
import os
import subprocess
import sys

READERS = ("runtime/files/npy", "runtime/files/safetensors", "runtime/data/idx", "runtime/data/byte_source",
           "runtime/program/file/program_file",
           "runtime/program/check", "runtime/device/device_file", "graph/config/plan",
           "graph/config/fitted_strategy")
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--build", default="build/coverage")
ap.add_argument("--tests", default="",
                help="run only the CTest tests whose names match this regular expression")
a = ap.parse_args()
source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(source, a.build)
profiles = os.path.join(build, "profiles")


def run(*command, **more):
    subprocess.run(command, cwd=source, check=True, **more)


run("cmake", "--preset", "coverage")
run("cmake", "--build", build)
for old in glob.glob(f"{profiles}/*"):
    os.remove(old)
environment = {**os.environ, "LLVM_PROFILE_FILE": f"{profiles}/%m-%p.profraw"}
subprocess.run(["ctest", "-C", "full", "--test-dir", build, "-j2", *(["-R", a.tests] if a.tests else [])],
               cwd=source, env=environment)
run("llvm-profdata-22", "merge", "-sparse", "--failure-mode=all", "-o", f"{build}/all.profdata",
    *glob.glob(f"{profiles}/*.profraw"))
objects = sorted(glob.glob(f"{build}/lib/*.so") + [f"{build}/bin/cutset_tests"])
done = subprocess.run(["llvm-cov-22", "export", "-summary-only", f"-instr-profile={build}/all.profdata",
                       objects[0],
                       *[x for o in objects[1:] for x in ("-object", o)]], cwd=source, check=True,
                      capture_output=True, text=True)
rows = []
for entry in json.loads(done.stdout)["data"][0]["files"]:
    path = os.path.relpath(entry["filename"], source)
    if path.startswith(("passes/", "runtime/", "graph/")) and not path.endswith("_test.cc"):
        branches = entry["summary"]["branches"]
        rows.append((path, branches["covered"], branches["count"], path.startswith(READERS)))
failed = False
print(f"{'file':58} {'branches':>9} {'taken':>7}")
for path, covered, count, reads in sorted(rows):
    print(f"{path:58} {count:9} {100 * covered / count if count else 100:6.1f} "
          f"%{'  reads untrusted bytes' if reads else ''}")
for name, goal, of in (("passes/", 80, lambda r: r[0].startswith("passes/")),
                       ("runtime/", 80, lambda r: r[0].startswith("runtime/")),
                       ("what reads untrusted bytes", 95, lambda r: r[3])):
    covered, count = (sum(r[i] for r in rows if of(r)) for i in (1, 2))
    share = 100 * covered / count if count else 0
    failed |= share < goal
    print(f"{name}: {share:.1f} % of {count} branches; the goal is {goal} %")
sys.exit(failed)
