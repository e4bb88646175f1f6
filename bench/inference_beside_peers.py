#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures inference of ONNX models in Cutset, ONNX Runtime and OpenVINO, in turn.

  bench/inference_beside_peers.py CUTSET FILE.onnx... [--batch N] [--devices cpu:0] [--runs 20] [--rounds 5]

CUTSET is the command cutset. Each round measures every file once in each program, on all cores and with f32.
Prints per file the median over the rounds of the median time of a run, its range, and the ratio to the
fastest other program. The inputs are random. Needs onnx and numpy. Measures ONNX Runtime and OpenVINO if
their Python packages onnxruntime and openvino are installed. A file whose first sizes are open gets the batch
of --batch. """
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from commands import json_of, output_of
from timed_calls import milliseconds

THREADS = len(os.sched_getaffinity(0))


def random_inputs(path, batch):
    import numpy as np
    import onnx

    generator, given = np.random.default_rng(0), {}
    graph = onnx.load(path, load_external_data=False).graph
    initialised = {t.name for t in graph.initializer}
    for i in graph.input:
        if i.name in initialised:
            continue
        shape = [d.dim_value or batch for d in i.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)
        given[i.name] = generator.standard_normal(shape).astype(
            kind) if kind.kind == "f" else generator.integers(0, 100, shape).astype(kind)
    return given


def of_cutset(a, path, folder):
    program = f"{folder}/{os.path.basename(path)}.cutset"
    if not os.path.exists(program):
        output_of([a.cutset, "compile", path, "--devices", a.devices, "--batch", str(a.batch), "-o", program])
    return json_of([a.cutset, "benchmark", program, "--runs", str(a.runs), "--warm-up", "3", "--json", "-"])[
        "median_ms"]


def of_peer(a, peer, path):
    """Measures the peer in a separate process, so that the threads of one program do not disturb another
    program."""
    return float(output_of([sys.executable, __file__, a.cutset, path, "--batch", str(a.batch),
                            "--runs", str(a.runs), "--peer", peer]))


def measure_peer(a, path):
    given = random_inputs(path, a.batch)
    if a.peer == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        run = lambda: session.run(None, given)
    else:
        import openvino

        settings = {"INFERENCE_NUM_THREADS": THREADS, "INFERENCE_PRECISION_HINT": "f32",
                    "PERFORMANCE_HINT": "LATENCY"}
        request = openvino.Core().compile_model(path, "CPU", settings).create_infer_request()
        run = lambda: request.infer(given, share_inputs=True)
    print(statistics.median(milliseconds(run, a.runs, warm_up=3)))


def is_there(package):
    return subprocess.run([sys.executable, "-c", f"import {package}"],
                          stderr=subprocess.DEVNULL).returncode == 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cutset")
    ap.add_argument("files", nargs="+")
    ap.add_argument("--batch", type=int, default=1)
    ap.add_argument("--devices", default="cpu:0")
    ap.add_argument("--runs", type=int, default=20)
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--peer", help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.peer:
        return measure_peer(a, a.files[0])
    peers = [p for p in ("onnxruntime", "openvino") if is_there(p)]
    times = {}  # (file, program) -> a time per round
    with tempfile.TemporaryDirectory() as folder:
        for number in range(a.rounds):
            for path in a.files:
                times.setdefault((path, "cutset"), []).append(of_cutset(a, path, folder))
                for peer in peers:
                    times.setdefault((path, peer), []).append(of_peer(a, peer, path))
            print(f"round {number + 1} of {a.rounds} is done", file=sys.stderr)
    print(f"| model | {' | '.join(f'{p}, ms' for p in ['cutset', *peers])} | cutset / fastest other "
          f"|\n|{'--|' * (len(peers) + 3)}")
    for path in a.files:
        cells = {p: times[path, p] for p in ["cutset", *peers]}
        shown = [f"{statistics.median(t):.2f} ({min(t):.2f} to {max(t):.2f})" for t in cells.values()]
        fastest = min((statistics.median(t) for p, t in cells.items() if p != "cutset"), default=None)
        ratio = f"{statistics.median(cells['cutset']) / fastest:.2f}" if fastest else "-"
        print(f"| {os.path.basename(path)} | {' | '.join(shown)} | {ratio} |")


if __name__ == "__main__":
    main()
