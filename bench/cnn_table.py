#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the times of convolutional networks, in the form in which they are usually compared: forward,
backward, total.

  bench/cnn_table.py CUTSET [--devices cpu:0 --devices opencl:0 ...] [--models alexnet,...] [--runs 5]
      [--rounds 3] [--torch]

CUTSET is the command cutset. Forward is the function `evaluate`, which computes the loss and the metrics
without training. Total is a training step: forward, backward and the update of the variables. Backward is the
difference. The samples are random images of 224 x 224 pixels. Each round measures all networks and devices
once. Each value is the median over the rounds. The range of the totals follows in brackets. With --torch,
PyTorch's times on the same cores are measured in the same rounds. Needs torch and torchvision for --torch
only. """
import argparse
import os
import statistics
import sys
import tempfile

from commands import json_of, output_of, size_options
from timed_calls import milliseconds

BATCH = {"alexnet": 16, "vgg16": 4, "inception-v1": 8, "resnet18": 8, "resnet50": 4}
SIZES = {"channels": 3, "image_size": 224, "classes": 1000}


def milliseconds_of_cutset(cutset, program, runs):
    """Returns the median times of a forward pass and of a training step of a saved program."""
    options = ["--runs", str(runs), "--warm-up", "1", "--json", "-"]
    return [json_of([cutset, "benchmark", program, "--function", function, *options])["median_ms"]
            for function in ("evaluate", "train")]


def milliseconds_of_torch(name, runs):
    import torch

    import networks_of_torch as networks

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(0)
    net = networks.build(name, SIZES)
    given = networks.inputs(name, SIZES, BATCH[name])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def forward():
        return torch.nn.functional.cross_entropy(net(given["image"]), given["label"])

    def step():
        optimizer.zero_grad()
        forward().backward()
        optimizer.step()

    def evaluate():
        with torch.no_grad():
            forward()

    times = []
    for prepare, call in ((net.eval, evaluate), (net.train, step)):
        prepare()
        times.append(statistics.median(milliseconds(call, runs)))
    return times


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cutset")
    ap.add_argument("--devices", action="append")
    ap.add_argument("--models", default=",".join(BATCH))
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--torch", action="store_true")
    a = ap.parse_args()
    models, devices = a.models.split(","), a.devices or ["cpu:0", "opencl:0"]
    times = {}  # (network, device) -> a pair of times per round
    with tempfile.TemporaryDirectory() as folder:
        def program_of(model, device):
            path = f"{folder}/{model}-{device.replace(':', '-')}.cutset"
            if not os.path.exists(path):
                command = [a.cutset, "compile", model, "--devices", device, "--batch", str(BATCH[model]),
                           "--dropout", "0", "-o", path, *size_options(SIZES)]
                output_of(command)
            return path

        for number in range(a.rounds):
            for model in models:
                for device in devices:
                    times.setdefault((model, device),
                                     []).append(milliseconds_of_cutset(a.cutset, program_of(model, device),
                                             a.runs))
                if a.torch:
                    times.setdefault((model, "PyTorch"), []).append(milliseconds_of_torch(model, a.runs))
            print(f"round {number + 1} of {a.rounds} is done", file=sys.stderr)
    print("| network | batch | device | forward, ms | backward, ms | total, ms | images per second "
          "|\n|--|--|--|--|--|--|--|")
    for (model, device), rounds in times.items():
        forward, total = (statistics.median(r[i] for r in rounds) for i in (0, 1))
        least, most = min(r[1] for r in rounds), max(r[1] for r in rounds)
        print(f"| {model} | {BATCH[model]} | {device} | {forward:.1f} | {total - forward:.1f} | {total:.1f} "
              f"({least:.1f} to {most:.1f}) "
              f"| {1e3 * BATCH[model] / total:.1f} |")


if __name__ == "__main__":
    main()
