#!/usr/bin/env python3
"""Measures the training step of LeNet or the MLP in Cutset and in other frameworks (peers), which run alternately,
in rounds. Prints the ratios to the fastest peer with their spread.

  bench/step_time.py CUTSET PEER_SCRIPT [--model lenet] [--peers tf,torch,jax] [--rounds 7] [--steps 200] [--devices cpu:0 opencl:0]

`PEER_SCRIPT FRAMEWORK MODEL --threads N --batch B` must print one JSON line with median_ms. It is run with the
Python that runs this script. The batch is 64 for LeNet and 128 for the MLP. `--other CUTSET` measures a second build
of Cutset on the same devices.
"""
import argparse
import json
import statistics
import subprocess
import sys

ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("peer_script")
ap.add_argument("--model", default="lenet", choices=["lenet", "mlp"])
ap.add_argument("--other")
ap.add_argument("--peers", default="tf,torch,jax")
ap.add_argument("--rounds", type=int, default=7)
ap.add_argument("--steps", type=int, default=200)
ap.add_argument("--threads", type=int, default=2)
ap.add_argument("--devices", nargs="+", default=["cpu:0", "opencl:0", "cpu:0,opencl:0"])
a = ap.parse_args()
batch = {"lenet": 64, "mlp": 128}[a.model]


def ours(program, devices):
    done = subprocess.run([program, "train", a.model, "--devices", devices, "--batch", str(batch), "--steps", str(a.steps), "--no-evaluate", "--threads", str(a.threads), "--json", "-"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["step_ms"]["median"]


def peer(name):
    done = subprocess.run([sys.executable, a.peer_script, name, a.model, "--threads", str(a.threads), "--batch", str(batch)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])["median_ms"]


runs = {}
for round_number in range(a.rounds):
    for name in a.peers.split(","):
        runs.setdefault(name, []).append(peer(name))
    for devices in a.devices:
        runs.setdefault(devices, []).append(ours(a.cutset, devices))
        if a.other:
            runs.setdefault(f"other {devices}", []).append(ours(a.other, devices))
    print(f"round {round_number + 1}: " + ", ".join(f"{k} {v[-1]:.2f}" for k, v in runs.items()), flush=True)
best = min(a.peers.split(","), key=lambda n: statistics.median(runs[n]))
print(f"\nbest peer: {best}, {statistics.median(runs[best]):.2f} ms")
for name, times in runs.items():
    ratios = [t / p for t, p in zip(times, runs[best])]
    print(f"{name:24} median {statistics.median(times):7.2f} ms  ({min(times):.2f} to {max(times):.2f})  ratio to {best} {statistics.median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})")
