#!/usr/bin/env python3
"""Trains the built-in models in Cutset and in PyTorch, from the same weights and samples, without dropout, and compares the losses.

  bench/models_beside_torch.py CUTSET [--models lenet,resnet18] [--steps 20] [--runs "cpu:0;cpu:0,opencl:0 model"]

CUTSET is the command cutset. A run is a list of devices and, behind a space, a strategy. Prints the largest relative difference of the
first 5 losses and of all, beside that of PyTorch with one thread and with two, and ends with 1 if one of the first 5 differs by more
than 1e-3, or one of all by more than 2e-2 and three times PyTorch's own difference. Needs torch, torchvision, transformers and numpy.
"""
import argparse
import json
import subprocess
import sys
import tempfile

import numpy as np
import torch

import networks_of_torch as networks
import safetensors_file

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
    "transformer": ({"sequence_length": 64, "vocabulary": 1000, "layers": 4, "width": 128, "heads": 8}, 8, 0.01),
    "bert": ({"sequence_length": 64, "vocabulary": 1000, "layers": 3, "width": 128, "heads": 4, "classes": 5}, 8, 0.01),
    "lstm": ({"sequence_length": 64, "vocabulary": 1000, "width": 128, "layers": 1}, 8, 0.01),
}
ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models", default=",".join(MODELS))
ap.add_argument("--steps", type=int, default=20)
ap.add_argument("--runs", default="cpu:0")
a = ap.parse_args()
MOMENTUM = 0.9


def network(name, sizes):
    torch.manual_seed(0)
    return networks.build(name, sizes).train()


def losses_of_torch(name, sizes, batch, rate, samples, threads):
    torch.set_num_threads(threads)
    net = network(name, sizes)
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=MOMENTUM)
    given = [n for n in samples if n != "label"]
    losses = []
    for k in range(0, a.steps * batch, batch):
        optimizer.zero_grad()
        logits = net(*(samples[n][k : k + batch] for n in given))
        loss = torch.nn.functional.cross_entropy(logits, samples["label"][k : k + batch].flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


def losses_of_cutset(folder, name, sizes, batch, rate, inputs, run):
    devices, _, strategy = run.partition(" ")
    command = [a.cutset, "train", name, "--init", f"{folder}/init.safetensors", "--order", f"{folder}/order", "--batch", str(batch), "--learning-rate", str(rate), "--momentum",
               str(MOMENTUM), "--dropout", "0", "--no-evaluate", "--json", f"{folder}/result.json", "--devices", devices]
    for size, value in sizes.items():
        command += ["--size", f"{size}={value}"]
    for n in inputs:
        command += ["--samples", f"{n}={folder}/{n}.npy"]
    done = subprocess.run(command + (["--strategy", strategy] if strategy else []), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    missing = [line for line in done.stderr.splitlines() if "does not name" in line and "/velocity" not in line]
    if missing:
        sys.exit(f"{name}: PyTorch's weights do not name all variables: {missing[0]}")
    return np.array(json.load(open(f"{folder}/result.json"))["loss"])


def difference(losses, want):
    return np.abs(losses - want) / np.abs(want)


failed = False
print("| model | run | first 5 losses | all losses | PyTorch's own, all |")
print("|--|--|--|--|--|")
for name in a.models.split(","):
    sizes, batch, rate = MODELS[name]
    torch.manual_seed(1)
    samples = networks.inputs(name, sizes, a.steps * batch)
    with tempfile.TemporaryDirectory() as folder:
        safetensors_file.save(f"{folder}/init.safetensors", networks.weights(network(name, sizes)))
        for n, t in samples.items():
            np.save(f"{folder}/{n}.npy", t.numpy().astype(np.float32 if t.is_floating_point() else np.int32))
        open(f"{folder}/order", "w").write(" ".join(map(str, range(a.steps * batch))))
        want, other = (losses_of_torch(name, sizes, batch, rate, samples, threads) for threads in (2, 1))
        own = difference(other, want).max()
        for run in a.runs.split(";"):
            d = difference(losses_of_cutset(folder, name, sizes, batch, rate, samples, run), want)
            failed |= not (d[:5].max() <= 1e-3 and d.max() <= max(2e-2, 3 * own) and own <= 5e-2)  # a run that differs from itself by more shows nothing
            print(f"| {name} | {run} | {d[:5].max():.1e} | {d.max():.1e} | {own:.1e} |", flush=True)
sys.exit(failed)
