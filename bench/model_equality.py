#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares trainings of built-in models under parallel strategies with trainings on one device.

  bench/model_equality.py CUTSET [--steps 20] [--models resnet18,transformer,lstm]

CUTSET is the command cutset. Each model is trained on random samples with SGD and momentum. The transformer
and the LSTM, whose functions are smooth, run in f32 on cpu:0 beside opencl:0 and on cpu:0 beside sim:0, and
are compared with f32 on cpu:0. resnet18, with images of 64 x 64 pixels, has relu, max pooling and batch
normalization, so a difference of rounding may choose another element. It runs in f64 on reference:0 beside
sim:0, and is compared with f64 on reference:0. Then `cutset verify` compares the program in f32, op by op.
Prints the largest relative difference of a loss, and ends with 1 if it is more than 1e-5 (f32) or 1e-9 (f64),
or if `verify` finds a difference. Needs numpy. """
import argparse
import json
import subprocess
import sys
import tempfile

import numpy as np

from commands import size_options

STRATEGIES = ["model", "data(2)", "pipeline(2, micro_batches=4)", "tensor(2)"]
BATCH = 8
MODELS = {  # sizes, type, the device to compare with, the sets of devices
    "resnet18": ({"channels": 3, "image_size": 64, "classes": 10}, "f64", "reference:0",
                 ["reference:0,sim:0"]),
    "transformer": ({"sequence_length": 32, "vocabulary": 512, "layers": 2, "width": 64, "heads": 4}, "f32",
                    "cpu:0",
                    ["cpu:0,opencl:0", "cpu:0,sim:0"]),
    "lstm": ({"sequence_length": 32, "vocabulary": 512, "width": 64, "layers": 1}, "f32", "cpu:0",
             ["cpu:0,opencl:0", "cpu:0,sim:0"]),
}
LIMIT = {"f32": 1e-5, "f64": 1e-9}


def save_samples(folder, sizes, count):
    generator = np.random.default_rng(1)
    if "image_size" in sizes:
        samples = {"image": generator.standard_normal((count, sizes["channels"], sizes["image_size"],
                                                       sizes["image_size"])).astype(np.float32),
                   "label": generator.integers(0, sizes["classes"], count).astype(np.int32)}
    else:
        samples = {n: generator.integers(0, sizes["vocabulary"],
                                         (count, sizes["sequence_length"])).astype(np.int32)
                   for n in ("token", "label")}
    options = []
    for name, values in samples.items():
        np.save(f"{folder}/{name}.npy", values)
        options += ["--samples", f"{name}={folder}/{name}.npy"]
    return options


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def losses(a, model, sizes, samples, dtype, devices, strategy, folder):
    command = [a.cutset, "train", model, "--devices", devices, "--dtype", dtype, "--batch", str(BATCH),
               "--steps", str(a.steps), "--dropout", "0",
               "--learning-rate", "0.01", "--no-evaluate", "--json", f"{folder}/result.json", *sizes,
               *samples]
    done = run(command + (["--strategy", strategy] if strategy else []))
    if done.returncode:
        return None, done.stdout.strip().splitlines()[-1]
    return np.array(json.load(open(f"{folder}/result.json"))["loss"]), ""


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cutset")
    ap.add_argument("--steps", type=int, default=20)
    ap.add_argument("--models", default=",".join(MODELS))
    a = ap.parse_args()
    failed = False
    print("| model | type | devices | strategy | largest difference of a loss | verify, f32 "
          "|\n|--|--|--|--|--|--|", flush=True)
    for model in a.models.split(","):
        shape, dtype, alone, sets = MODELS[model]
        sizes = size_options(shape)
        with tempfile.TemporaryDirectory() as folder:
            samples = save_samples(folder, shape, BATCH * a.steps)
            wanted, why = losses(a, model, sizes, samples, dtype, alone, "", folder)
            if wanted is None:
                sys.exit(f"{model} on {alone}: {why}")
            for devices in sets:
                for strategy in STRATEGIES:
                    # its batch statistics need all forward micro-batches first
                    if model == "resnet18" and "pipeline" in strategy:
                        strategy = strategy.replace(")", ", schedule=gpipe)")
                    found, why = losses(a, model, sizes, samples, dtype, devices, strategy, folder)
                    worst = float(np.max(np.abs(found - wanted)
                                         / np.abs(wanted))) if found is not None else float("nan")
                    checked = run([a.cutset, "verify", model,
                                   "--devices", devices.replace("reference", "cpu"), "--strategy", strategy,
                                   "--batch",
                                   str(BATCH), "--dropout", "0", *sizes, *samples])
                    same = checked.returncode == 0
                    failed |= not worst <= LIMIT[dtype] or not same
                    print(f"| {model} | {dtype} | {devices} | {strategy} | {worst:.1e} {why} | "
                          f"{'same' if same else checked.stdout.strip()[-200:]} |",
                          flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
