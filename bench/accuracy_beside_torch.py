#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains networks in Cutset and in PyTorch with the same initial weights, samples and schedule, and compares
their evaluations.

  bench/accuracy_beside_torch.py CUTSET resnet18|lstm|transformer [--seeds 3] [--first-seed 0] [--epochs 3]
      [--devices cpu:0]
      [--learning-rate 0.05] [--same-order]

CUTSET is the command cutset. resnet18 is trained on the first 10,000 images of Fashion-MNIST, padded to 32 x
32 pixels, and evaluated on all test images; the language models are trained on the bytes of the licences in
Debian's package base-files, and evaluated on the bytes of GPL-3. Each program draws its own orders of the
samples. With --same-order, both programs use the same order in every epoch. Prints the evaluations after the
last epoch, and ends with 1 if the means over the seeds differ by more than 1 % and more than the range of
PyTorch's values (accuracy), or by more than 2 % (perplexity). Needs torch, torchvision and numpy. """
import argparse
import math
import os
import sys
import tempfile

import numpy as np
import torch

import idx_file
import networks_of_torch as networks
import safetensors_file
from commands import result_of_training, size_options

MODELS = {  # sizes, samples per step, learning rate
    "resnet18": ({"channels": 1, "image_size": 32, "classes": 10}, 64, 0.05),
    "lstm": ({"sequence_length": 64, "vocabulary": 256, "width": 256, "layers": 1}, 16, 0.5),
    "transformer": ({"sequence_length": 64, "vocabulary": 256, "layers": 4, "width": 128, "heads": 8},
                    16, 0.05),
}
LICENCES = "/usr/share/common-licenses"
ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("model", choices=MODELS)
ap.add_argument("--seeds", type=int, default=3)
ap.add_argument("--first-seed", type=int, default=0)
ap.add_argument("--learning-rate", type=float)
ap.add_argument("--same-order", action="store_true")
ap.add_argument("--epochs", type=int, default=3)
ap.add_argument("--devices", default="cpu:0")
ap.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
a = ap.parse_args()
sizes, BATCH, RATE = MODELS[a.model]
RATE = RATE if a.learning_rate is None else a.learning_rate
MOMENTUM = 0.9


def images(split, count):
    image = np.zeros((count, 1, 32, 32), np.float32)
    image[:, 0, 2:30, 2:30] = idx_file.read(f"{a.data}/{split}-images-idx3-ubyte.gz")[:count] / np.float32(
        255)
    return {"image": image, "label": idx_file.read(f"{a.data}/{split}-labels-idx1-ubyte.gz")[:count].astype(
        np.int32)}


def tokens(names):
    text = np.frombuffer(b"".join(open(f"{LICENCES}/{n}", "rb").read() for n in names),
                         np.uint8).astype(np.int32)
    length = sizes["sequence_length"]
    samples = (len(text) - 1) // length
    return {"token": text[: samples * length].reshape(samples, length),
            "label": text[1 : samples * length + 1].reshape(samples, length)}


if a.model == "resnet18":
    training, test = images("train", 10000), images("t10k", 10000)
else:
    names = sorted(n for n in os.listdir(LICENCES) if not os.path.islink(f"{LICENCES}/{n}"))
    training, test = tokens([n for n in names if n != "GPL-3"]), tokens(["GPL-3"])
per_epoch = -(-len(training["label"]) // BATCH)
given = next(n for n in training if n != "label")


def network(seed):
    torch.manual_seed(seed)
    return networks.build(a.model, sizes)


def one_order(seed):
    return np.random.default_rng(seed).permutation(len(training["label"]))


def metric(loss, correct, count):
    return 100 * correct / count if a.model == "resnet18" else math.exp(loss / count)


def of_torch(seed):
    torch.set_num_threads(2)
    net = network(seed)
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE, momentum=MOMENTUM)
    x, y, total = torch.from_numpy(training[given]), torch.from_numpy(
        training["label"]).long(), a.epochs * per_epoch
    net.train()
    for step in range(total):
        if step % per_epoch == 0:
            order = torch.from_numpy(one_order(seed)) if a.same_order else torch.randperm(len(x))
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 + math.cos(math.pi * min(1, step / max(1, total - 1)))) / 2
        k = order[step % per_epoch * BATCH : (step % per_epoch + 1) * BATCH]
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x[k]), y[k].flatten()).backward()
        optimizer.step()
    net.eval()
    loss = correct = 0
    with torch.no_grad():
        for k in range(0, len(test["label"]), 100):
            logits, label = net(torch.from_numpy(test[given][k : k + 100])), torch.from_numpy(
                test["label"][k : k + 100]).long().flatten()
            loss += torch.nn.functional.cross_entropy(logits, label, reduction="sum").item()
            correct += (logits.argmax(1) == label).sum().item()
    return metric(loss, correct, test["label"].size)


def of_cutset(folder, seed):
    safetensors_file.save(f"{folder}/init.safetensors", networks.weights(network(seed)))
    command = [a.cutset, "train", a.model, "--init", f"{folder}/init.safetensors", "--batch", str(BATCH),
               "--learning-rate", str(RATE), "--momentum", str(MOMENTUM), "--lr-schedule",
               "cosine", "--epochs", str(a.epochs), "--seed", str(seed), "--devices", a.devices]
    for n in (given, "label"):
        command += ["--samples", f"{n}={folder}/train-{n}.npy",
                    "--test-samples", f"{n}={folder}/test-{n}.npy"]
    if a.same_order:
        np.savetxt(f"{folder}/order.txt", one_order(seed), fmt="%d")
        command += ["--order", f"{folder}/order.txt"]
    command += size_options(sizes)
    last = result_of_training(command, f"{folder}/result.json")["evaluations"][-1]
    return 100 * last["top1"] if a.model == "resnet18" else last["perplexity"]


with tempfile.TemporaryDirectory() as folder:
    for n in (given, "label"):
        np.save(f"{folder}/train-{n}.npy", training[n])
        np.save(f"{folder}/test-{n}.npy", test[n])
    ours, theirs = [], []
    for seed in range(a.first_seed, a.first_seed + a.seeds):
        ours.append(of_cutset(folder, seed))
        theirs.append(of_torch(seed))
        print(f"| {a.model} | seed {seed} | {ours[-1]:.3f} | {theirs[-1]:.3f} |", flush=True)
mean, other, spread = np.mean(ours), np.mean(theirs), max(theirs) - min(theirs)
print(f"| {a.model} | mean, range | {mean:.3f}, {min(ours):.3f} to {max(ours):.3f} | {other:.3f}, "
      f"{min(theirs):.3f} to {max(theirs):.3f} |")
allowed = max(1, spread) if a.model == "resnet18" else 0.02 * other
sys.exit(not abs(mean - other) <= allowed)
