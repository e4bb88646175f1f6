#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks --deterministic: the losses are bitwise equal for any number of threads, and for any number of
replicas on devices of one kind. Then measures how much slower a step is with this option.

  bench/deterministic.py CUTSET [RUNS]

CUTSET is the built binary. Default: 20 runs per setting. Exits with 1 if there is more than one sequence of
losses."""
import sys

from commands import json_of

cutset, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
SETTINGS = [("cpu:0, 1 thread", ["--devices", "cpu:0", "--threads", "1"]),
            ("cpu:0, 2 threads", ["--devices", "cpu:0", "--threads", "2"]),
            ("cpu:0,cpu:1", ["--devices", "cpu:0,cpu:1", "--strategy", "data(2)"]),
            ("cpu:0,cpu:1,cpu:2", ["--devices", "cpu:0,cpu:1,cpu:2", "--strategy", "data(3)"])]


def train(arguments, steps):
    return json_of([cutset, "train", "lenet", "--batch", "61", "--steps", str(steps), "--seed", "1",
                    "--no-evaluate", "--json", "-", *arguments])


sequences = {tuple(train([*a, "--deterministic"], 20)["loss"]) for _ in range(runs) for _, a in SETTINGS}
print(f"{runs} runs of {len(SETTINGS)} settings, 20 steps each: {len(sequences)} "
      f"sequence{'s' if len(sequences) > 1 else ''} of losses")
for name, a in SETTINGS:
    ratios, ms = [], []
    for _ in range(5):  # with and without the option in turn
        plain, fixed = train(a, 60)["step_ms"]["median"], train([*a, "--deterministic"],
                                                                60)["step_ms"]["median"]
        ratios.append(fixed / plain), ms.append((plain, fixed))
    ratios.sort(), ms.sort()
    print(f"  {name:20} {ms[2][0]:6.2f} ms, deterministic {ms[2][1]:6.2f} ms: {ratios[2]:.2f} "
          f"({ratios[0]:.2f} to {ratios[-1]:.2f})")
sys.exit(len(sequences) != 1)
