#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `cutset-conformance`, which compares every op of a device with the reference kernels."""
import json
import subprocess

from harness import *


def conform(*arguments, **variables):
    return subprocess.run([f"{build}/bin/cutset-conformance", *arguments], capture_output=True, text=True,
                          timeout=300, env={**environment, **variables})


def joined(done):
    """The output of a process with one space between words: a cell of a table may take several lines."""
    return " ".join(done.stdout.split())


done = conform("sim:0", "--random", "2", "--json", "-")
report = json.loads(done.stdout) if done.returncode == 0 else {}
all_ops = len(report.get("ops", []))
expect(report.get("bad") == 0 and report.get("good", 0) > 45, "every op of sim:0 is correct", done)
expect(all(r["passed"] + r["refused"] > 0 for r in report.get("ops", []) if r["needs_kernel"]),
       "every op that needs a kernel has problems", done)
expect(conform("--help").returncode == 0, "--help")
for what, arguments, says in (("no device", [], "--plugin"), ("an unknown device", ["none:0"], "no backend"),
                              ("an unknown op", ["sim:0", "--op", "nothing"], "no op named"),
                              ("a plugin with a wrong name",
                               ["--plugin", f"{build}/lib/libcutset_runtime.so"], "libcutset_device_KIND.so"),
                              ("a negative time", ["sim:0", "--seconds", "-1"], "--seconds")):
    failed = conform(*arguments)
    expect(failed.returncode in (1, 2) and says in failed.stderr + failed.stdout, f"{what}: says '{says}'",
           failed)

# --- backends with mistakes
plugins = f"{build}/tests/backends/libcutset_device_%s.so"
for kind, variables, says in (("no_symbol", {}, "does not export the function"),
                              ("other_version", {}, "does not implement version"),
                              ("wrong", {"CUTSET_WRONG": "allocate"}, "allocate"),
                              ("wrong", {"CUTSET_WRONG": "no_queue"}, "queue")):
    failed = conform("--plugin", plugins % kind, **variables)
    expect(failed.returncode == 1 and says in failed.stderr and kind in failed.stderr,
           f"{kind} {variables}: the error names the plugin and says '{says}'", failed)
poor = conform("--plugin", plugins % "wrong", "--random", "0")
row = next((l for l in poor.stdout.splitlines() if l.startswith("tanh ")), "")
expect(poor.returncode == 1 and "NO KERNEL" in poor.stdout and "FAILED" in row,
       "a backend with one kernel that does nothing fails", poor)
lies = conform("--plugin", plugins % "wrong", "--op", "tanh", "--random", "0",
               CUTSET_WRONG="lies_about_scratch")
expect(lies.returncode == 1 and "tanh.wrong: the plan needs 4096 bytes of scratch memory, and the "
                                "description says 0" in joined(lies),
       "a kernel that needs more scratch memory than it says is named", lies)
for fault, says in (("enqueue=1:nan", "not"), ("enqueue=1", "enqueue fails on request"),
                    ("enqueue=1:lost", "fails on request")):
    failed = conform("sim:0", "--op", "tanh", "--random", "0", CUTSET_SIMULATED_FAULTS=fault)
    expect(failed.returncode == 1 and "FAILED" in failed.stdout and says in joined(failed),
           f"{fault}: the op is reported", failed)
hung = conform("sim:0", "--op", "tanh", "--seconds", "1", CUTSET_SIMULATED_FAULTS="enqueue=1:hang")
expect(hung.returncode == 1 and "op 'tanh', problem" in hung.stderr
       and "has not finished after 1 s" in hung.stderr, "a kernel that never finishes is named", hung)

# --- a device that hangs, or that no longer works, ends the test, and the report holds what was found before
for fault, says in (("enqueue/tanh=1:hang", "op 'tanh', problem"), ("allocate=6000+",
                                                                    "the device does not respond after op")):
    ended = conform("sim:0", "--random", "0", "--seconds", "5", "--json", f"{folder}/ended.json",
                    CUTSET_SIMULATED_FAULTS=fault)
    report = json.load(open(f"{folder}/ended.json")) if os.path.exists(f"{folder}/ended.json") else {
        "ops": [], "stopped": ""}
    expect(ended.returncode == 1 and says in report["stopped"] and "the test ended early" in ended.stdout
           and report["bad"] > 0, f"{fault}: the report says where the test ended", ended)
    expect(10 < len(report["ops"]) < all_ops and report["ops"][0]["passed"] > 0,
           f"{fault}: the report has the ops before")
    if os.path.exists(f"{folder}/ended.json"):
        os.remove(f"{folder}/ended.json")

finish()
