#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the time per training step in which no queue of any device runs a command, from a trace of `cutset
train --trace`.

usage: idle_time.py TRACE.json...

The time is divided into two parts: the time inside a step, mostly the vote between the computation and the
updates, and the time from the last command of a step to the first command of the next step, in which the
caller prepares its batch. `cutset train` records the steps 2 to 6. The times of all traces are pooled, and
their medians are printed. """
import json
import statistics
import sys


def idle_times(path):
    """Returns (inside, between) in microseconds, each a list with one element per step."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    steps = {}
    for e in events:
        # a turn spans several instructions
        if e["ph"] == "X" and e["cat"] != "turn" and e["args"]["function"] == "train":
            steps.setdefault(e["args"]["step"], []).append((e["ts"], e["ts"] + e["dur"]))
    inside, between, last = [], [], None
    for number in sorted(steps):
        intervals = sorted(steps[number])
        end, idle = intervals[0][0], 0.0
        if last is not None:
            between.append(end - last)
        for first, stop in intervals:
            idle += max(0.0, first - end)
            end = max(end, stop)
        inside.append(idle)
        last = end
    return inside, between


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    inside, between = [], []
    for path in sys.argv[1:]:
        times = idle_times(path)
        inside += times[0]
        between += times[1]
    if not between:
        sys.exit("the traces have fewer than two training steps")
    print(f"{'steps':>6} {'inside us':>10} {'between us':>11}")
    print(f"{len(inside):>6} {statistics.median(inside):>10.1f} {statistics.median(between):>11.1f}")


if __name__ == "__main__":
    main()
