#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs networks that PyTorch has exported as ONNX in Cutset and in ONNX Runtime, and compares the results.

  bench/onnx_models.py CUTSET [--models resnet18,bert,...] [--batches 1,4] [--devices cpu:0 --devices
      cpu:0,opencl:0] [--folder F]

CUTSET is the command cutset. The weights are random, and the running statistics of batch normalization are
the statistics of a batch. The result of a network is right if it differs from ONNX Runtime's result by at
most 1e-4 of the largest value, and if the results for two inputs differ by at least 100 times as much. A
network whose results hardly depend on its input would hide errors. Prints one line per network, batch and
devices, and ends with 1 if a result is not right. Needs torch, torchvision, onnx, onnxscript, onnxruntime
and, for bert and gpt2, transformers. """
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime
import torch

IMAGES = {"resnet18": 224, "resnet50": 224, "vgg16": 224, "mobilenet_v2": 224, "densenet121": 224,
          "inception_v3": 299,
          "squeezenet1_1": 224, "efficientnet_b0": 224, "alexnet": 224, "googlenet": 224,
          "mobilenet_v3_small": 224,
          "shufflenet_v2_x1_0": 224, "mnasnet1_0": 224, "regnet_y_400mf": 224, "convnext_tiny": 224,
          "vit_b_16": 224,
          "swin_t": 224}
ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models", default="resnet18,vgg16,mobilenet_v2,densenet121,inception_v3,squeezenet1_1,"
                        "efficientnet_b0,bert,gpt2")
ap.add_argument("--batches", default="1,4")
ap.add_argument("--devices", action="append")
ap.add_argument("--folder", help="where the models are written and, if they exist, read")
ap.add_argument("--opset", type=int)
a = ap.parse_args()


def network(name):
    """Returns the network and an example of its inputs for a batch of two."""
    torch.manual_seed(0)
    if name in ("bert", "gpt2"):
        import transformers
        ids = torch.randint(0, 1000, (2, 64))
        if name == "bert":
            config = transformers.BertConfig(vocab_size=1000, hidden_size=256, num_hidden_layers=4,
                                             num_attention_heads=4, intermediate_size=1024)
            return transformers.BertModel(config), {"input_ids": ids}
        config = transformers.GPT2Config(vocab_size=1000, n_embd=256, n_layer=4, n_head=4, use_cache=False,
                                         bos_token_id=0, eos_token_id=0, attn_implementation="eager")
        return transformers.GPT2LMHeadModel(config), {"input_ids": ids}
    import torchvision
    extra = {"init_weights": True} if name in ("inception_v3", "googlenet") else {}
    model = torchvision.models.get_model(name, weights=None, **extra)
    size = IMAGES[name]
    model.train()
    # without momentum, the running statistics become the statistics of the batch
    for layer in model.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            layer.momentum = 1.0
        if isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 and not parameter.any():  # the heads of some networks start with zeros
                parameter.normal_(0, 0.02)
        model(torch.randn(8, 3, size, size))
    return model, {"x": torch.randn(2, 3, size, size)}


class FirstResult(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        y = self.model(x) if x.is_floating_point() else self.model(x, attention_mask=torch.ones_like(x))
        return y if torch.is_tensor(y) else y[0]


def export(name, path):
    model, inputs = network(name)
    model.eval()
    names = list(inputs)
    torch.onnx.export(FirstResult(model), tuple(inputs.values()), path, input_names=names, output_names=["y"],
                      opset_version=a.opset,
                      dynamic_axes={n: {0: "batch"} for n in names}, dynamo=False)


def cutset(path, inputs, devices, folder):
    given = []
    for name, value in inputs.items():
        np.save(f"{folder}/{name}.npy", value)
        given += ["--input", f"{name}={folder}/{name}.npy"]
    batch = len(next(iter(inputs.values())))
    start = time.perf_counter()
    r = subprocess.run([a.cutset, "run", path, "--devices", devices, "--batch", str(batch),
                        "--output-dir", folder, *given],
                       capture_output=True, text=True)
    if r.returncode != 0:
        return None, r.stderr.strip().splitlines()[-1][:300]
    return np.load(f"{folder}/y.npy"), time.perf_counter() - start


def draw(session, batch):
    random = np.random.default_rng(1)
    inputs = {}
    for i in session.get_inputs():
        shape = [batch, *i.shape[1:]]
        inputs[i.name] = (random.standard_normal(shape).astype(np.float32) if i.type == "tensor(float)"
                          else random.integers(0, 1000, shape).astype(np.int64))
    return inputs


def main():
    wrong = 0
    print("| network | batch | devices | difference | of two inputs | seconds | verdict |")
    print("|--|--|--|--|--|--|--|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.folder or scratch
        os.makedirs(folder, exist_ok=True)
        for name in a.models.split(","):
            path = f"{folder}/{name}.onnx"
            if not os.path.exists(path):
                export(name, path)
            session = onnxruntime.InferenceSession(path)
            for batch in map(int, a.batches.split(",")):
                inputs = draw(session, max(batch, 2))
                both = session.run(None, inputs)[0]
                inputs = {n: v[:batch] for n, v in inputs.items()}
                want = session.run(None, inputs)[0]
                largest = np.abs(want).max()
                apart = np.abs(both[0] - both[1]).max() / largest
                for devices in a.devices or ["cpu:0"]:
                    got, seconds = cutset(path, inputs, devices, scratch)
                    if got is None:
                        wrong += 1
                        print(f"| {name} | {batch} | {devices} | - | - | - | {seconds} |", flush=True)
                        continue
                    difference = np.abs(got - want).max() / largest if got.shape == want.shape else np.inf
                    right = difference <= 1e-4 and apart >= 1e-2
                    wrong += not right
                    print(f"| {name} | {batch} | {devices} | {difference:.1e} | {apart:.1e} | {seconds:.1f} "
                          f"| {'same' if right else 'DIFFERS'} |", flush=True)
    sys.exit(wrong > 0)


main()
