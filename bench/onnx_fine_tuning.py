#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains networks that PyTorch has exported as ONNX in Cutset and in PyTorch, from the same weights and
samples, and compares the losses.

  bench/onnx_fine_tuning.py CUTSET [--models resnet18,densenet121,gpt2] [--steps 20] [--batch 16] [--size 64]
      [--dynamo] [--runs "cpu:0;cpu:0,opencl:0 model"]

CUTSET is the command cutset. --size is the size of images or, for gpt2, the number of tokens of a sequence.
gpt2 is trained on the bytes of the file --text. A run is a list of devices and, after a space, a strategy.
Prints the largest relative difference of the first 5 losses and of all losses, and PyTorch's own difference
between one thread and two. Ends with 1 if one of the first 5 losses differs by more than 1e-3, or if a loss
differs by more than 2e-2 and three times PyTorch's own difference. Needs torch, torchvision, onnx and, for
gpt2, transformers. """
import argparse
import sys
import tempfile

import numpy as np
import torch
import torchvision

import loss_table

ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models", default="resnet18,densenet121,gpt2")
ap.add_argument("--text", default="/usr/share/common-licenses/GPL-3")
ap.add_argument("--steps", type=int, default=20)
ap.add_argument("--batch", type=int, default=16)
ap.add_argument("--size", type=int, default=64)
ap.add_argument("--dynamo", action="store_true", help="export with dynamo=True, optimize=False")
ap.add_argument("--runs", default="cpu:0;cpu:0,opencl:0 model;cpu:0,cpu:1 data(2);cpu:0,opencl:0 pipeline(2, "
                                  "micro_batches=4);cpu:0,cpu:1 tensor(2)")
a = ap.parse_args()
# with larger rates, PyTorch differs from itself by more than the limits
RATE, MOMENTUM, CLASSES = 0.001, 0.9, 10


class Logits(torch.nn.Module):
    """A language model of transformers as a module that returns only the logits, [batch, sequence,
    vocabulary], or, as rows, [tokens, vocabulary]."""

    def __init__(self, model, rows):
        super().__init__()
        self.model, self.rows = model, rows

    def forward(self, x):
        y = self.model(x, attention_mask=torch.ones_like(x)).logits
        return y.flatten(0, 1) if self.rows else y


def network(name, for_loss):
    torch.manual_seed(0)
    if name == "gpt2":
        import transformers
        config = transformers.GPT2Config(vocab_size=256, n_positions=a.size, n_embd=256, n_layer=4, n_head=4,
                                         use_cache=False, bos_token_id=0, eos_token_id=0,
                                         attn_implementation="eager",
                                         resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
        return Logits(transformers.GPT2LMHeadModel(config), for_loss)
    return torchvision.models.get_model(name, weights=None, num_classes=CLASSES)


def samples(name, folder):
    """Returns samples and labels of the network, and the arguments with which Cutset reads the same samples
    and labels."""
    count = a.steps * a.batch
    if name == "gpt2":
        text = torch.frombuffer(bytearray(open(a.text, "rb").read()), dtype=torch.uint8).long()
        if len(text) <= count * a.size:
            sys.exit(f"{a.text} has {len(text)} bytes, and {a.steps} steps read {count * a.size + 1}")
        return text[: count * a.size].view(count, a.size), text[1 : count * a.size + 1].view(count,
                a.size), ["--dataset", "bytes", "--data", a.text, "--class-axis", "-1",
                          *([] if a.dynamo else ["--size", f"sequence={a.size}"])]
    torch.manual_seed(1)
    x, y = torch.randn(count, 3, a.size, a.size), torch.randint(0, CLASSES, (count,))
    np.save(f"{folder}/x.npy", x.numpy())
    np.save(f"{folder}/y.npy", y.numpy().astype(np.int32))
    return x, y, ["--samples", f"x={folder}/x.npy", "--samples", f"label={folder}/y.npy"]


failed = False
loss_table.print_header("network")
for name in a.models.split(","):
    with tempfile.TemporaryDirectory() as folder:
        x, y, read = samples(name, folder)
        given = {"input_names": ["x"], "output_names": ["logits"]}
        if a.dynamo:
            torch.onnx.export(network(name, False).eval(), (x[: a.batch],), f"{folder}/model.onnx", **given,
                              dynamo=True, optimize=False, verbose=False)
        else:  # without PRESERVE, the exporter joins batch normalization and convolutions
            torch.onnx.export(network(name, False).eval(), (x[: a.batch],), f"{folder}/model.onnx", **given,
                              dynamo=False, dynamic_axes={"x": {1: "sequence"}} if name == "gpt2" else None,
                              training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
        open(f"{folder}/order", "w").write(" ".join(map(str, range(len(x)))))
        command = [a.cutset, "train", f"{folder}/model.onnx", "--loss", "cross_entropy", *read,
                   "--order", f"{folder}/order", "--batch", str(a.batch), "--learning-rate", str(RATE),
                   "--momentum", str(MOMENTUM)]
        batches = [[x[k : k + a.batch], y[k : k + a.batch]] for k in range(0, len(x), a.batch)]
        want, other = (loss_table.losses_of_torch(network(name, True), batches, RATE, MOMENTUM, threads)
                       for threads in (2, 1))
        for run in a.runs.split(";"):
            failed |= not loss_table.print_row(name, run, loss_table.losses_of_cutset(command, run, folder),
                                               want, other)
sys.exit(failed)
