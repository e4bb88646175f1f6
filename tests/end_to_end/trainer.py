#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests examples/training.cc, a training run of a C++ program. The program is killed at many places, or its
disk is full there, and the program is started again. Its variables, its log and its decision to stop early
must be the same as in a run without an interruption. The event files are read by a reader that was written
from their format."""

import csv
import math
import signal
import struct

from harness import *  # noqa: F403
from safetensors_files import tensors

program, shim = f"{build}/bin/training", f"{build}/lib/libcutset_fail_call.so"


def start(name, **variables):
    """Runs the program with the folder `name`."""
    return subprocess.run(
        [program, f"{folder}/{name}"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**environment, **variables},
    )


def crc32c(data):
    """The CRC, bit by bit, from the polynomial of RFC 3720."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def fields(data):
    """The fields of a message of protocol buffers, as pairs of a number and a value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    found = []
    while at < len(data):
        key = varint()
        size = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            found.append((key >> 3, varint()))
            continue
        size = varint() if size is None else size
        found.append((key >> 3, data[at : at + size]))
        at += size
    return found


def events(path):
    """The events of an event file, as (step, {tag: value}). Checks the CRCs."""
    data, at, found = open(path, "rb").read(), 0, []
    while at < len(data):
        length = struct.unpack("<Q", data[at : at + 8])[0]
        for begin, size in ((at, 8), (at + 12, length)):
            crc = crc32c(data[begin : begin + size])
            masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
            assert struct.unpack("<I", data[begin + size : begin + size + 4])[0] == masked, "a wrong CRC"
        event = dict(fields(data[at + 12 : at + 12 + length]))
        at += 16 + length
        assert 1.6e9 < struct.unpack("<d", event[1])[0] < 1e10, "the wall time is in seconds since 1970"
        if not found:
            assert event[3] == b"brain.Event:2" and set(event) == {1, 3}, event
        values = [dict(fields(value)) for number, value in fields(event.get(5, b"")) if number == 1]
        found.append((event.get(2), {v[1].decode(): struct.unpack("<f", v[2])[0] for v in values}))
    return found[1:]


def state(name):
    """Returns what a run has left: the steps of its checkpoints, the variables after its last step, the best
    variables, the log, and the events."""
    steps = sorted(int(f[5:-12]) for f in os.listdir(f"{folder}/{name}") if f.startswith("step-"))
    return (
        steps,
        tensors(f"{folder}/{name}/step-{steps[-1]}.safetensors"),
        tensors(f"{folder}/{name}/best.safetensors"),
        open(f"{folder}/{name}/log.csv").read(),
        events(f"{folder}/{name}/events.out.tfevents.cutset"),
    )


whole = start("whole")
if whole.returncode == 77:
    print("skipped: there is no CPU device")
    sys.exit(77)
expect(whole.returncode == 0 and "stopped early" in whole.stdout, "the run stops early", whole)
want = state("whole")
last = want[0][-1]
expect(
    last < 450 and f"step {last}," in whole.stdout, f"the run stops before its last step: {want[0]}", whole
)

# The program is killed at these places: at a write of the log (the first write is the name of the run, in a
# file next to the log), before a checkpoint appears under its name, and while the program holds the lock.
rows = want[3].count("\n")
places = (
    [("write", "log.csv", n) for n in (1, 2, 3, 9, 17, 60, rows)]
    + [("write", "tfevents", n) for n in (3, 40)]
    + [("rename", "/step-", n) for n in (1, 3, 9)]
    + [("rename", "/best.", n) for n in (1, 2)]
)
for number, (call, path, nth) in enumerate(places):
    name = f"killed-{number}"
    killed = start(name, LD_PRELOAD=shim, FAIL_CALL=call, FAIL_PATH=path, FAIL_NTH=str(nth), FAIL_WITH="0")
    expect(killed.returncode == -signal.SIGKILL, f"killed at {call} {nth} of {path}", killed)
    if os.path.exists(f"{folder}/{name}/log.csv") and os.path.getsize(f"{folder}/{name}/log.csv"):
        open(f"{folder}/{name}/log.csv", "a").write("99,7,0.1")  # half a row
    again = start(name)
    expect(
        again.returncode == 0 and again.stdout == whole.stdout,
        f"after {call} {nth} of {path}, the run ends as the other one",
        again,
    )
    expect(state(name) == want, f"after {call} {nth} of {path}, variables, log and events are the same")
# The disk is full, once, at a write of a log, for a checkpoint, or for the best checkpoint. The program fails
# and says so. Started again, it ends as the run that had space, except that it has a checkpoint of the step
# at which it failed.
accuracies = [float(r["evaluation/accuracy"]) for r in csv.DictReader(want[3].splitlines()) if not r["loss"]]
bests = sum(a > max(accuracies[:i], default=-1) for i, a in enumerate(accuracies))
full = (
    [("write", "log.csv", n) for n in (1, 2, 3, 5, 17, 18, 19, 34, rows + 1)]
    + [("write", "tfevents", n) for n in (2, 17, 33, rows)]
    + [("rename", "/step-", n) for n in (1, 2, 3)]
    + [("rename", "/best.", n) for n in (1, bests)]
    + [("fsync", "best.", bests)]
)
for number, (call, path, nth) in enumerate(full):
    name = f"full-{number}"
    failed = start(name, LD_PRELOAD=shim, FAIL_CALL=call, FAIL_PATH=path, FAIL_NTH=str(nth), FAIL_WITH="28")
    expect(
        failed.returncode != 0 and "No space left on device" in failed.stderr,
        f"the disk is full at {call} {nth} of {path}",
        failed,
    )
    again = start(name)
    expect(
        again.returncode == 0 and again.stdout == whole.stdout,
        f"after a full disk at {call} {nth} of {path}, the run ends as the other one",
        again,
    )
    expect(
        state(name)[1:] == want[1:],
        f"after a full disk at {call} {nth} of {path}, variables, best checkpoint, log and events are the "
        "same",
    )

more = start("whole")
expect(
    more.returncode == 0 and more.stdout == whole.stdout and state("whole") == want,
    "a run that is complete stays as it is",
    more,
)

# The log and the events agree, and the run stops early exactly where the metrics say.
table = list(csv.DictReader(want[3].splitlines()))
steps, evaluations = [r for r in table if r["loss"]], [r for r in table if not r["loss"]]
expect(
    [int(r["step"]) for r in steps] == list(range(1, last + 1))
    and {r["learning_rate"] for r in steps} == {steps[0]["learning_rate"]}
    and abs(float(steps[0]["learning_rate"]) - 0.05) < 1e-9,
    "one row per step",
)
expect(
    [int(r["step"]) for r in evaluations] == list(range(15, last + 1, 15)),
    f"one evaluation per epoch of 15 steps: {evaluations}",
)
shown = [
    (
        (int(r["step"]), {"loss": float(r["loss"]), "learning_rate": float(r["learning_rate"])})
        if r["loss"]
        else (int(r["step"]), {k: float(v) for k, v in r.items() if k.startswith("evaluation/")})
    )
    for r in table
]
same = len(shown) == len(want[4]) and all(
    a == b and x.keys() == y.keys() and all(math.isclose(x[k], y[k], rel_tol=1e-6) for k in x)
    for (a, x), (b, y) in zip(shown, want[4])
)
expect(same, f"the events are the rows of the table: {shown[:2]} {want[4][:2]}")
best, waited = -math.inf, 0
for row in evaluations:
    expect(waited < 3, "the run stops after three evaluations without an improvement")
    better = float(row["evaluation/accuracy"]) - best > 0.005
    best, waited = (float(row["evaluation/accuracy"]), 0) if better else (best, waited + 1)
expect(waited == 3, f"three evaluations were no better: {[r['evaluation/accuracy'] for r in evaluations]}")

# The program trains in ten lines.
text = open(f"{source}/examples/training.cc").read()
lines = text[text.index("  Session session") : text.index("trainer.run();")].count("\n") + 1
expect(lines <= 10, f"{lines} lines")
finish()
