#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how the unrolling of a Scan of ONNX grows with its iterations.

  bench/onnx_loops.py CUTSET [--lengths 10,100,1000] [--devices cpu:0] [--runs 20]

CUTSET is the command cutset. The model is a recurrent network: a Scan over the time steps of a batch of 16,
whose body computes h = tanh(x w + h r + b) with 64 units. Prints per length the time of `cutset compile`,
which imports the model, the size of the saved program, and the median time of a run. If the Python package
of ONNX Runtime is installed, also prints its median time. Needs onnx and numpy. """
import argparse
import os
import statistics
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from commands import json_of, output_of
from timed_calls import milliseconds

BATCH, WIDTH = 16, 64


def model(length):
    random = np.random.default_rng(0)
    weights = {n: random.standard_normal(s, np.float32) / 8 for n,
               s in (("w", (WIDTH, WIDTH)), ("r", (WIDTH, WIDTH)), ("b", (WIDTH,)))}
    info = lambda name, *shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["xw"]), helper.make_node("MatMul", ["h", "r"], ["hr"]),
             helper.make_node("Add", ["xw", "hr"], ["sum"]),
             helper.make_node("Add", ["sum", "b"], ["shifted"]),
             helper.make_node("Tanh", ["shifted"], ["next"]), helper.make_node("Identity", ["next"], ["row"])]
    body = helper.make_graph(nodes, "cell", [info("h", BATCH, WIDTH), info("x", BATCH, WIDTH)],
                             [info("next", BATCH, WIDTH), info("row", BATCH, WIDTH)])
    scan = helper.make_node("Scan", ["start", "sequence"], ["last", "y"], body=body, num_scan_inputs=1,
                            name="steps")
    graph = helper.make_graph([scan], "recurrent", [info("sequence", length, BATCH, WIDTH)],
                              [info("last", BATCH, WIDTH), info("y", length, BATCH, WIDTH)],
                              [numpy_helper.from_array(a, n) for n,
                               a in {**weights, "start": np.zeros((BATCH, WIDTH), np.float32)}.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def compiled(a, path, program):
    """Returns the seconds of a compilation and the bytes of its program."""
    start = time.perf_counter()
    output_of([a.cutset, "compile", path, "--devices", a.devices, "-o", program])
    return time.perf_counter() - start, os.path.getsize(program)


def milliseconds_of_onnxruntime(path, length, runs):
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = len(os.sched_getaffinity(0))
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    given = {"sequence": np.zeros((length, BATCH, WIDTH), np.float32)}
    return statistics.median(milliseconds(lambda: session.run(None, given), runs, warm_up=3))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cutset")
    ap.add_argument("--lengths", default="10,100,1000")
    ap.add_argument("--devices", default="cpu:0")
    ap.add_argument("--runs", type=int, default=20)
    a = ap.parse_args()
    print("| iterations | compile, s | program, MB | run, ms | ONNX Runtime, ms |\n|--|--|--|--|--|")
    for length in map(int, a.lengths.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/m.onnx"
            onnx.save(model(length), path)
            seconds, size = compiled(a, path, f"{folder}/m.cutset")
            run = json_of([a.cutset, "benchmark", f"{folder}/m.cutset", "--runs", str(a.runs),
                           "--warm-up", "3", "--json", "-"])["median_ms"]
            other = milliseconds_of_onnxruntime(path, length, a.runs)
        print(f"| {length} | {seconds:.2f} | {size / 1e6:.2f} | {run:.2f} | "
              f"{f'{other:.2f}' if other else '-'} |", flush=True)


if __name__ == "__main__":
    main()
