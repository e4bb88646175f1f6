#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures two properties of data parallelism on simulated devices, whose commands take the time of their
performance model: how much of an all-reduce overlaps the backward pass, and how well the shares of the batch
follow the speeds.

  bench/overlap.py CUTSET

Overlap: LeNet on two devices with slow links, so that summing the gradients takes a large part of the step.
The ideal is the longer of the transfers and the arithmetic, which is measured with links that take almost no
time. Shares: a batch of 61 on devices with speeds 5:2:1. The ideal is the time of the whole batch on one
device with speed 8."""
import json
import sys
import tempfile

from commands import json_of

cutset = sys.argv[1]
folder = tempfile.mkdtemp(prefix="cutset-overlap-")
FLOPS, LINK = 2.5e8, 2.0e7
FREE = 1e15


def device(flops, link=LINK, link_seconds=1e-4):
    return {"flops_per_second": flops, "bytes_per_second": 1e12, "launch_seconds": 1e-6,
            "link_bytes_per_second": link, "link_seconds": link_seconds, "timed": 1}


def step(devices, *arguments, steps=6):
    path = f"{folder}/devices.json"
    json.dump(devices, open(path, "w"))
    return json_of([cutset, "train", "lenet", "--devices", ",".join(devices), "--device-file", path,
                    "--steps", str(steps), "--no-evaluate", "--json", "-", *arguments])


two = lambda **kw: {"sim:0": device(FLOPS, **kw), "sim:1": device(FLOPS, **kw)}
arguments = ["--strategy", "data(2, shares=1:1)", "--batch", "16"]
arithmetic = step(two(link=FREE, link_seconds=1e-9), *arguments)["step_ms"]["median"]
run = step(two(), *arguments)
gradient_bytes = 431080 * 4
# a gradient is sent before its sum is received, so the two times add up
transfers = 2 * gradient_bytes / LINK * 1e3
ideal = max(arithmetic, transfers)
rows = [("with buckets, overlapping backward", run["step_ms"]["median"]),
        ("overlapping, without buckets", step(two(), *arguments, "--bucket-bytes", "0")["step_ms"]["median"]),
        ("one bucket after backward: no overlap",
         step(two(), *arguments, "--bucket-bytes", str(1 << 30))["step_ms"]["median"])]
print(f"overlap: arithmetic {arithmetic:.1f} ms, transfers {transfers:.1f} ms, ideal {ideal:.1f} ms")
for name, ms in rows:
    print(f"  {name:42} {ms:8.1f} ms  {ms / ideal:.3f} of ideal")

speeds = {"sim:0": 5, "sim:1": 2, "sim:2": 1}
base = 1.0e8
shared = step({n: device(base * s, link=FREE, link_seconds=1e-9) for n, s in speeds.items()},
              "--strategy", "data(3)", "--batch", "61")
one = step({"sim:0": device(base * 8, link=FREE, link_seconds=1e-9)}, "--batch", "61")
ideal, ms = one["step_ms"]["median"], shared["step_ms"]["median"]
print(
    f"shares from speed: {shared['strategy']}: {ms:.1f} ms, weighted ideal {ideal:.1f} ms, {ms / ideal:.3f}")
