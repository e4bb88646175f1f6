#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares gradients of resnet18 in f32 with the gradients that PyTorch computes in f64, for the same initial
weights and one batch of random samples.

  bench/gradients_beside_torch.py CUTSET [--devices cpu:0 reference:0]

Prints for PyTorch in f32 and for each device of Cutset the largest difference of an element, relative to the
largest element of its gradient, over all variables, and the variable. The gradient is the velocity of the
optimizer after the first step. Needs torch, torchvision and numpy. """
import argparse
import tempfile

import numpy as np
import torch

import networks_of_torch as networks
import safetensors_file
from commands import result_of_training, size_options

SIZES = {"channels": 1, "image_size": 32, "classes": 10}
BATCH = 64
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("cutset")
ap.add_argument("--devices", nargs="*", default=["cpu:0", "reference:0"])
a = ap.parse_args()
random = np.random.default_rng(1)
samples = {"image": random.random((BATCH, SIZES["channels"], SIZES["image_size"], SIZES["image_size"]),
                                  dtype=np.float32), "label": random.integers(0, SIZES["classes"],
                                          BATCH).astype(np.int32)}


def network():
    torch.manual_seed(0)
    return networks.build("resnet18", SIZES)


def of_torch(dtype):
    net = network().to(dtype)
    net.train()
    torch.nn.functional.cross_entropy(net(torch.from_numpy(samples["image"]).to(dtype)),
                                      torch.from_numpy(samples["label"]).long()).backward()
    return {name: p.grad.double().numpy() for name, p in net.named_parameters()}


def of_cutset(folder, device):
    command = [a.cutset, "train", "resnet18", "--init", f"{folder}/init.safetensors", "--batch", str(BATCH),
               "--steps", "1", "--momentum", "0.9", "--devices", device,
               "--save", f"{folder}/saved.safetensors", "--no-evaluate", "--quiet", *size_options(SIZES)]
    for name in samples:
        command += ["--samples", f"{name}={folder}/{name}.npy"]
    result_of_training(command, f"{folder}/result.json")
    saved = safetensors_file.load(f"{folder}/saved.safetensors")
    return {name: saved[f"{name}/velocity"].astype(np.float64) for name in exact}


exact = of_torch(torch.float64)
with tempfile.TemporaryDirectory() as folder:
    safetensors_file.save(f"{folder}/init.safetensors", networks.weights(network()))
    for name, values in samples.items():
        np.save(f"{folder}/{name}.npy", values)
    runs = {"PyTorch": of_torch(torch.float32), **{device: of_cutset(folder, device) for device in a.devices}}
print("| gradients in f32 | largest difference from f64 | variable |\n|--|--|--|")
for program, gradients in runs.items():
    differences = {name: np.abs(gradients[name] - exact[name]).max() / np.abs(exact[name]).max()
                   for name in exact}
    worst = max(differences, key=lambda name: np.nan_to_num(differences[name], nan=np.inf))
    print(f"| {program} | {differences[worst]:.1e} | {worst} |")
