# SPDX-License-Identifier: Apache-2.0
"""Tests that a skipped test is counted, and that a missing device is an error where it is required.

Usage: skips.py SOURCE BUILD. OpenCL is hidden from the loader of its drivers, so that opencl:0 is missing."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:3])
problems = []


def expect(condition, what):
    if not condition:
        problems.append(what)


def tests(name, **environment):
    """Runs a few tests of GoogleTest, and returns the exit status and the output."""
    made = {**os.environ, "REQUIRED_TEST_DEVICES": "", **environment}
    r = subprocess.run([build / "bin/cutset_tests", "--gtest_brief=1", f"--gtest_filter={name}"], env=made,
                       capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def count(text, kinds=""):
    """Returns the exit status and the output of the counter for the output of a test."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        log.write(text)
        log.flush()
        r = subprocess.run([sys.executable, source / "tests/skips.py", log.name, kinds], capture_output=True,
                           text=True)
    return r.returncode, r.stdout


hidden = {"OCL_ICD_VENDORS": "/nowhere", "OCL_ICD_FILENAMES": ""}
few = "*KindTest*:All/OpTest.*/reference_add"
status, output = tests(few, **hidden)
expect(status == 0, f"a missing device is no error unless it is required: {output}")
expect("skipped: All/KindTest.IsAvailable/opencl: " in output,
       f"a test that is skipped is named with its reason: {output}")
expect(re.search("^skipped: All/OpTest on opencl, [1-9]", output, re.M),
       f"instances of a suite that are missing are counted: {output}")
status, output = tests(few, **hidden, REQUIRED_TEST_DEVICES="cpu,opencl")
expect(status != 0 and "REQUIRED_TEST_DEVICES names 'opencl'" in output,
       f"a missing device that is required is an error: {output}")
status, output = tests("*KindTest*", REQUIRED_TEST_DEVICES="reference,sim")
expect(status == 0, f"devices that are here are no error: {output}")

# Tests the counter alone, with a log of two processes.
log = """1: skipped: not at the start of a line
skipped: A.B: opencl:0 is not available
skipped: S/Suite on cuda, 3 tests: cuda:0 cannot be opened on this machine
skipped: A.B: opencl:0 is not available
skipped: S/Suite on cuda, 4 tests: cuda:0 cannot be opened on this machine
[  SKIPPED ] 1 test.
"""
status, output = count(log)
expect(status == 0 and output.splitlines()[-1] == "8" and output.count("skipped: ") == 2,
       f"8 tests are skipped for 2 reasons: {output}")
expect("S/Suite on cuda: cuda:0 cannot be opened on this machine (7 tests)" in output,
       f"the numbers of two processes are added: {output}")
expect(count(log, "cpu,reference")[0] == 0, "a device that nothing misses is no error")
status, output = count(log, "cpu,opencl")
expect(status == 1 and "error: " in output, f"a skip because of a required device is an error: {output}")
expect(count("")[1].splitlines() == ["0"], "no test is skipped")

for problem in problems:
    print(problem)
sys.exit(bool(problems))
