#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports models with `cutset export`, and compares ONNX Runtime's results with the results of Cutset and of
the original models.

  bench/onnx_export.py CUTSET [--models mlp,lenet,resnet18,bert,...] [--folder F]

CUTSET is the command cutset. The built-in models mlp, lenet and lenet-smooth are compared with their saved
programs. Other models are networks of torchvision and transformers that PyTorch writes as ONNX
(bench/onnx_models.py --folder F); they are imported and exported again, and ONNX Runtime computes both files.
Batches are 1, 2 and 5 where the exported model runs with any batch. A model is right if each result differs
by at most 1e-4 of the largest value. Prints one line per model and batch. Exits with 1 if a model is not
right. Needs onnx, onnxruntime and what bench/onnx_models.py needs. """
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

BUILT_IN = ("mlp", "lenet", "lenet-smooth")
ap = argparse.ArgumentParser()
ap.add_argument("cutset")
ap.add_argument("--models", default="mlp,lenet,lenet-smooth,resnet18,squeezenet1_1,mobilenet_v2,bert")
ap.add_argument("--folder", help="where bench/onnx_models.py has written its models as NAME.onnx")
a = ap.parse_args()
random = np.random.default_rng(0)


def inputs_of(path, batch):
    values = {}
    for value in onnx.load(path, load_external_data=False).graph.input:
        sizes = [d.dim_value if d.HasField("dim_value") else batch for d in value.type.tensor_type.shape.dim]
        if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            values[value.name] = random.normal(0, 1, sizes).astype(np.float32)
        else:
            values[value.name] = random.integers(0, 10,
                                                 sizes).astype(onnx.helper.tensor_dtype_to_np_dtype(
                                                     value.type.tensor_type.elem_type))
    return values


def runtime(path, values):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, values)))


def program(model, function, batch, values, folder):
    arguments = []
    for name, value in values.items():
        np.save(f"{folder}/{name}.npy", value)
        arguments += ["--input", f"{name}={folder}/{name}.npy"]
    subprocess.run([a.cutset, "compile", model, "--batch", str(batch), "-o", f"{folder}/program"], check=True)
    subprocess.run([a.cutset, "run", f"{folder}/program", "--function", function, *arguments,
                    "--output-dir", folder], check=True, stdout=subprocess.DEVNULL)
    return lambda name: np.load(f"{folder}/{name}.npy")


wrong = 0
with tempfile.TemporaryDirectory() as folder:
    for name in a.models.split(","):
        exported = f"{folder}/{name}.onnx"
        for function in ("predict", "evaluate") if name in BUILT_IN else ("evaluate",):
            model = name if name in BUILT_IN else f"{a.folder}/{name}.onnx"
            done = subprocess.run([a.cutset, "export", model, "-o", exported, "--function", function,
                                   "--batch", "2", "--json", "-"], capture_output=True, text=True)
            if done.returncode:
                print(f"{name:16} {function}: {done.stderr.strip()}")
                wrong += 1
                continue
            made = json.loads(done.stdout)
            onnx.checker.check_model(exported, full_check=True)
            for batch in (2, 1, 5) if made["open_batch"] else (2,):
                values = inputs_of(exported, batch)
                try:
                    got = runtime(exported, values)
                except Exception as e:  # noqa: BLE001
                    print(f"{name:16} {function:9} batch {batch}: {str(e)[:300]} WRONG")
                    wrong += 1
                    break
                if name in BUILT_IN:
                    want = program(name, function, batch, values, folder)
                else:
                    original = runtime(model, values)
                    want = original.__getitem__
                worst = max(float(np.abs(value.astype(np.float64) - want(result)).max()
                                  / max(np.abs(want(result)).max(), 1e-30)) for result, value in got.items())
                wrong += worst > 1e-4
                print(f"{name:16} {function:9} batch {batch}: {made['nodes']} nodes, largest difference "
                      f"{worst:.1e} of the largest value" + (" WRONG" if worst > 1e-4 else ""))
            if not made["open_batch"]:
                print(f"{name:16} {function:9} has a fixed batch: {made['why_fixed'][:200]}")
sys.exit(bool(wrong))
