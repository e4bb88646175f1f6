#!/usr/bin/env python3
"""Trains networks that PyTorch has exported as ONNX in Cutset and in PyTorch, from the same weights and samples, and compares the losses.

  bench/onnx_fine_tuning.py CUTSET [--models resnet18,densenet121] [--steps 20] [--batch 8] [--size 64] [--runs "cpu:0;cpu:0,opencl:0 model"]

CUTSET is the command cutset. A run is a list of devices and, behind a space, a strategy. Prints the largest relative difference of the
first 5 losses and of all, beside that of PyTorch with one thread and with two, and ends with 1 if one of the first 5 differs by more
than 1e-3, or one of all by more than 2e-2 and three times PyTorch's own difference. Needs torch, torchvision and onnx.
"""
import argparse
import sys
import tempfile

import numpy as np
import torch
import torchvision

import loss_table

ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models", default="resnet18,densenet121")
ap.add_argument("--steps", type=int, default=20)
ap.add_argument("--batch", type=int, default=16)
ap.add_argument("--size", type=int, default=64)
ap.add_argument("--runs", default="cpu:0;cpu:0,opencl:0 model;cpu:0,cpu:1 data(2)")
a = ap.parse_args()
RATE, MOMENTUM, CLASSES = 0.001, 0.9, 10  # with larger rates, PyTorch differs from itself by more than the limits


def network(name):
    torch.manual_seed(0)
    return torchvision.models.get_model(name, weights=None, num_classes=CLASSES)


failed = False
loss_table.print_header("network")
for name in a.models.split(","):
    torch.manual_seed(1)
    x = torch.randn(a.steps * a.batch, 3, a.size, a.size)
    y = torch.randint(0, CLASSES, (len(x),))
    with tempfile.TemporaryDirectory() as folder:
        # Without PRESERVE, the exporter joins batch normalization and convolutions.
        torch.onnx.export(network(name).eval(), (x[: a.batch],), f"{folder}/model.onnx", input_names=["x"], output_names=["logits"], dynamo=False,
                          training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
        np.save(f"{folder}/x.npy", x.numpy())
        np.save(f"{folder}/y.npy", y.numpy().astype(np.int32))
        open(f"{folder}/order", "w").write(" ".join(map(str, range(len(x)))))
        command = [a.cutset, "train", f"{folder}/model.onnx", "--loss", "cross_entropy", "--samples", f"x={folder}/x.npy", "--samples", f"label={folder}/y.npy", "--order", f"{folder}/order",
                   "--batch", str(a.batch), "--learning-rate", str(RATE), "--momentum", str(MOMENTUM)]
        batches = [[x[k : k + a.batch], y[k : k + a.batch]] for k in range(0, len(x), a.batch)]
        want, other = (loss_table.losses_of_torch(network(name), batches, RATE, MOMENTUM, threads) for threads in (2, 1))
        for run in a.runs.split(";"):
            failed |= not loss_table.print_row(name, run, loss_table.losses_of_cutset(command, run, folder), want, other)
sys.exit(failed)
