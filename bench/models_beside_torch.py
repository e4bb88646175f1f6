#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the built-in models in Cutset and in PyTorch, from the same weights and samples, without dropout,
and compares the losses.

  bench/models_beside_torch.py CUTSET [--models lenet,resnet18] [--steps 20] [--runs "cpu:0;cpu:0,opencl:0
      model"] [--dtype f64]

CUTSET is the command cutset. A run is a list of devices and, after a space, a strategy. Prints the largest
relative difference of the first 5 losses and of all losses, and PyTorch's own difference between one thread
and two. Ends with 1 if one of the first 5 losses differs by more than 1e-3, if a loss differs by more than
2e-2 and three times PyTorch's own difference, or if PyTorch's own difference is above 5e-2. With --dtype f64,
both programs compute in f64, on reference:0 unless --runs says otherwise, and the limit of all losses is
1e-9. Needs torch, torchvision, transformers and numpy. """
import argparse
import sys
import tempfile

import numpy as np
import torch

import loss_table
import networks_of_torch as networks
import safetensors_file
from commands import size_options

SMALL = {"channels": 3, "image_size": 64, "classes": 10}
MODELS = {  # sizes, samples per step, learning rate
    "mlp": ({"channels": 1, "image_size": 28, "classes": 10}, 32, 0.01),
    "lenet": ({"channels": 1, "image_size": 28, "classes": 10}, 32, 0.01),
    "lenet-smooth": ({"channels": 1, "image_size": 28, "classes": 10}, 32, 0.01),
    "alexnet": (SMALL, 16, 0.01),
    "vgg16": (SMALL, 8, 0.001),
    "resnet18": (SMALL, 16, 0.001),
    "resnet50": (SMALL, 16, 0.0001),
    "inception-v1": (SMALL, 16, 0.00001),
    "mobilenet-v2": (SMALL, 16, 0.00001),
    "youtube": ({"vocabulary": 5000, "history": 50, "width": 64, "classes": 1000}, 64, 0.01),
    "transformer": ({"sequence_length": 64, "vocabulary": 1000, "layers": 4, "width": 128, "heads": 8},
                    8, 0.01),
    "bert": ({"sequence_length": 64, "vocabulary": 1000, "layers": 3, "width": 128, "heads": 4, "classes": 5},
             8, 0.01),
    "lstm": ({"sequence_length": 64, "vocabulary": 1000, "width": 128, "layers": 1}, 8, 0.01),
}
ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models", default=",".join(MODELS))
ap.add_argument("--steps", type=int, default=20)
ap.add_argument("--runs")
ap.add_argument("--dtype", choices=["f32", "f64"], default="f32")
a = ap.parse_args()
MOMENTUM = 0.9
runs = (a.runs or {"f32": "cpu:0", "f64": "reference:0"}[a.dtype]).split(";")
torch_dtype = {"f32": torch.float32, "f64": torch.float64}[a.dtype]


def network(name, sizes):
    torch.manual_seed(0)
    return networks.build(name, sizes).train()


def command(folder, name, sizes, batch, rate, inputs):
    made = [a.cutset, "train", name, "--init", f"{folder}/init.safetensors", "--order", f"{folder}/order",
            "--batch", str(batch), "--learning-rate", str(rate), "--momentum", str(MOMENTUM),
            "--dropout", "0", "--no-evaluate", "--dtype", a.dtype, *size_options(sizes)]
    for n in inputs:
        made += ["--samples", f"{n}={folder}/{n}.npy"]
    return made


failed = False
loss_table.print_header("model")
for name in a.models.split(","):
    sizes, batch, rate = MODELS[name]
    torch.manual_seed(1)
    samples = networks.inputs(name, sizes, a.steps * batch)
    with tempfile.TemporaryDirectory() as folder:
        safetensors_file.save(f"{folder}/init.safetensors", networks.weights(network(name, sizes)))
        for n, t in samples.items():
            np.save(f"{folder}/{n}.npy", t.numpy().astype(np.float32 if t.is_floating_point() else np.int32))
        open(f"{folder}/order", "w").write(" ".join(map(str, range(a.steps * batch))))
        given = [n for n in samples if n != "label"] + ["label"]
        samples = {n: t.to(torch_dtype) if t.is_floating_point() else t for n, t in samples.items()}
        batches = [[samples[n][k : k + batch] for n in given] for k in range(0, a.steps * batch, batch)]
        want, other = (loss_table.losses_of_torch(network(name, sizes).to(torch_dtype), batches, rate,
                                                  MOMENTUM, threads) for threads in (2, 1))
        for run in runs:
            losses = loss_table.losses_of_cutset(command(folder, name, sizes, batch, rate, samples),
                                                 run, folder)
            failed |= not loss_table.print_row(name, run, losses, want, other)
            failed |= a.dtype == "f64" and not (np.abs(losses - want) / np.abs(want)).max() <= 1e-9
sys.exit(failed)
