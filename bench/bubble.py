#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the bubble of one training step of a pipeline, from traces that `cutset_micro_batches --trace
PREFIX` records.

usage: bubble.py TRACE.json...

The bubble is the share of time in which the compute queues of the devices are idle, from the start of the
first kernel to the end of the last kernel. The updates of the variables are left out, and so are commands
that run once per step, such as the check that gradients are finite. The columns are the trace, the devices,
the largest time of a kernel, the mean time per device in which a kernel runs, the time from the first to the
last kernel, and the bubble. """
import json
import sys


def row(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    kernels = [e for e in events if e["ph"] == "X" and e["tid"] == 1 and e["cat"] == "kernel"
               and e["args"]["function"] == "train"
               and e["args"]["part"] == "compute" and not e["name"].endswith("all_finite")]
    if not kernels:
        sys.exit(f"{path}: there are no kernels of a training step")
    devices = {e["pid"] for e in kernels}
    span = max(e["ts"] + e["dur"] for e in kernels) - min(e["ts"] for e in kernels)
    busy = sum(e["dur"] for e in kernels) / len(devices)
    return len(devices), max(e["dur"] for e in kernels) / 1e3, busy / 1e3, span / 1e3, 1 - busy / span


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{'devices':>7} {'kernel ms':>10} {'busy ms':>10} {'span ms':>10} {'bubble':>8}  trace")
    for path in sys.argv[1:]:
        devices, longest, busy, span, bubble = row(path)
        print(f"{devices:>7} {longest:>10.2f} {busy:>10.1f} {span:>10.1f} {bubble:>8.4f}  {path}")


if __name__ == "__main__":
    main()
