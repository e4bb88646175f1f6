#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains LeNet in PyTorch and in Cutset with the same initial weights and the same order of samples, and
compares the losses.

  bench/torch_losses.py CUTSET [--data DIR] [--devices cpu:0] [--steps 100] [--keep DIR]

CUTSET is the built binary. Needs torch and numpy in the Python that runs this script. Exits with 1 if one of
the first 20 losses differs by more than 1e-3, or any loss by more than 1e-2 (relative differences). """
import argparse
import os
import sys
import tempfile

import numpy
import torch
from torch import nn

import idx_file
import safetensors_file
from commands import json_of

ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
ap.add_argument("--devices", default="cpu:0")
ap.add_argument("--steps", type=int, default=100)
ap.add_argument("--seed", type=int, default=0)
ap.add_argument("--keep", default="")
a = ap.parse_args()
folder = a.keep or tempfile.mkdtemp(prefix="cutset-torch-")
os.makedirs(folder, exist_ok=True)


torch.manual_seed(a.seed)
layers = {"conv1": nn.Conv2d(1, 20, 5), "conv2": nn.Conv2d(20, 50, 5), "fc1": nn.Linear(800, 500),
          "fc2": nn.Linear(500, 10)}
safetensors_file.save(f"{folder}/init.safetensors",
                      {f"{n}.{p}": t for n, layer in layers.items() for p, t in layer.named_parameters()})
order = torch.randperm(60000).tolist()
open(f"{folder}/order.txt", "w").write("\n".join(map(str, order)))

images, labels = idx_file.read(f"{a.data}/train-images-idx3-ubyte.gz"), idx_file.read(
    f"{a.data}/train-labels-idx1-ubyte.gz")
x = torch.from_numpy(images.copy()).reshape(-1, 1, 28, 28).float() / 255
y = torch.from_numpy(labels.astype(numpy.int64))
pool = nn.functional.max_pool2d
optimizer = torch.optim.SGD([p for layer in layers.values() for p in layer.parameters()], lr=0.01,
                            momentum=0.9)
want = []
for step in range(a.steps):
    at = order[step * 64 : step * 64 + 64]
    h = pool(torch.relu(layers["conv1"](x[at])), 2)
    h = pool(torch.relu(layers["conv2"](h)), 2).flatten(1)
    loss = nn.functional.cross_entropy(layers["fc2"](torch.relu(layers["fc1"](h))), y[at])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    want.append(loss.item())

got = json_of([a.cutset, "train", "lenet", "--devices", a.devices, "--batch", "64", "--steps", str(a.steps),
               "--no-evaluate", "--data", a.data,
               "--init", f"{folder}/init.safetensors", "--order", f"{folder}/order.txt", "--json", "-"])[
                   "loss"]
difference = [abs(g - w) / abs(w) for g, w in zip(got, want)]
print(f"{a.devices}: largest relative difference to PyTorch {torch.__version__}: first 20 losses "
      f"{max(difference[:20]):.1e}, {len(got)} losses {max(difference):.1e}")
# Both comparisons are false for NaN.
sys.exit(not (len(got) == len(want) and all(d <= 1e-3 for d in difference[:20])
              and all(d <= 1e-2 for d in difference)))
