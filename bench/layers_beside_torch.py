#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures training steps of single layers in Cutset and in PyTorch, which run alternately, in rounds.

  bench/layers_beside_torch.py CUTSET_LAYERS [--layers attention,...] [--device cpu:0] [--rounds 7] [--threads
      2] [--seconds 1]

CUTSET_LAYERS is the program of bench/layers.cc. A step computes the forward and backward pass of a layer and
updates every variable. A round runs each side for about the given seconds. Prints the median of the times in
milliseconds, and the median, smallest and largest of the ratios in each round. """
import argparse
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("cutset_layers")
ap.add_argument("--layers", default="attention,layer_norm,embedding_bag,lstm,adam")
ap.add_argument("--device", default="cpu:0")
ap.add_argument("--rounds", type=int, default=7)
ap.add_argument("--threads", type=int, default=2)
ap.add_argument("--seconds", type=float, default=1)
a = ap.parse_args()
torch.set_num_threads(a.threads)


def parameters(*shapes):
    return [torch.randn(s, requires_grad=True) for s in shapes]


def attention():
    q, k, v = parameters(*[(8, 8, 256, 64)] * 3)
    return [q, k, v], lambda: F.scaled_dot_product_attention(q, k, v).mean()


def layer_norm():
    x, = parameters((4096, 768))
    norm = torch.nn.LayerNorm(768)
    return [x, *norm.parameters()], lambda: norm(x).square().mean()


def embedding_bag():
    table, = parameters((20000, 128))
    ids = torch.randint(0, 20000, (512, 32))
    return [table], lambda: F.embedding_bag(ids, table, mode="mean").mean()


def lstm():
    x, = parameters((64, 32, 256))
    layer = torch.nn.LSTM(256, 256)
    return [x, *layer.parameters()], lambda: layer(x)[0].mean()


def adam():
    w, = parameters((4_000_000,))
    return [w], lambda: w.square().mean()


def steps_of_torch(name):
    variables, loss = globals()[name]()
    optimizer = torch.optim.Adam(variables, lr=1e-3) if name == "adam" else torch.optim.SGD(variables,
            lr=1e-3)

    def steps(count):
        start = time.perf_counter()
        for _ in range(count):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        return (time.perf_counter() - start) / count * 1e3

    return steps


def steps_of_cutset(name):
    process = subprocess.Popen([a.cutset_layers, a.device, str(a.threads), name], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def steps(count):
        process.stdin.write(f"{count}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"{a.cutset_layers} ended")
        return float(line)

    return steps


print(f"PyTorch {torch.__version__}, {a.device}, {a.threads} threads")
print("| layer | Cutset, ms | PyTorch, ms | ratio |")
print("|--|--|--|--|")
for name in a.layers.split(","):
    sides = [steps_of_cutset(name), steps_of_torch(name)]
    counts = []
    for steps in sides:
        steps(3)
        counts.append(max(1, int(a.seconds * 1e3 / steps(3))))
    times = [[steps(count) for steps, count in zip(sides, counts)] for _ in range(a.rounds)]
    ratios = [ours / theirs for ours, theirs in times]
    ours, theirs = (statistics.median(column) for column in zip(*times))
    print(f"| {name} | {ours:.2f} | {theirs:.2f} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to "
          f"{max(ratios):.2f}) |", flush=True)
