#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks exported models independently of this project: onnx.checker accepts them, and another program
computes the expected values.

Usage: exports.py DEPS PROGRAM [onnxruntime] [--write]

PROGRAM is cutset_onnx_exports, which writes one model per test problem of an op. The other program is
onnx.reference.ReferenceEvaluator, from the wheel of onnx in the folder DEPS; or ONNX Runtime, which must be
installed, and which is not part of the tests. ONNX Runtime has no kernels for some element types; these
models are counted, and do not fail. exports_PROGRAM.txt lists the results that differ because of the other
program, and --write writes this list anew. Any other result that differs is a failure."""
import collections
import glob
import os
import subprocess
import sys
import tempfile
import warnings

uses_onnxruntime = "onnxruntime" in sys.argv[3:]
if not uses_onnxruntime:
    for name in ("onnx", "numpy", "protobuf", "ml_dtypes", "typing_extensions"):
        sys.path.insert(0, os.path.join(sys.argv[1], name))
warnings.simplefilter("ignore")  # the problems overflow on purpose
import numpy as np
import onnx

# Why results of an op differ because of the other program. ONNX does not define NaN in a maximum of windows,
# lines or updates, and it defines no accuracy.
REASONS = {
    "reference": {
        "avg_pool": "the evaluator leaves NaN out of means of dilated windows",
        "conv_transpose": "the evaluator fails for groups and for results without elements",
        "gather_elements": "the evaluator refuses fewer indices than elements along other dimensions",
        "gru": "the evaluator ignores the direction", "lstm": "the evaluator ignores the direction",
        "rnn": "the evaluator does not know the activation Relu",
        "layer_norm": "the evaluator subtracts the square of a large mean",
        "log_softmax": "the evaluator takes the logarithm of 0", "softmax_cross_entropy": "as log_softmax",
        "max_pool": "the evaluator refuses results without elements", "max_pool_indices": "as max_pool",
        "scatter_elements": "NaN among updates", "trilu": "the evaluator refuses the largest diagonals",
    },
    "onnxruntime": {
        "avg_pool": "it refuses padding that is not smaller than the kernel, also of dilated windows",
        "batch_norm": "it computes x * a + b, which loses digits of a large mean, and NaN of infinite "
                      "statistics",
        "conv_transpose": "it refuses padding that removes all of the result",
        "gru": "no kernel for f64", "lstm": "no kernel for f64",
        "layer_norm": "it subtracts the square of a large mean",
        "max_pool": "NaN, and padding as for avg_pool", "max_pool_indices": "as max_pool",
        "reduce_max": "NaN", "reduce_min": "NaN",
        "reduce_prod": "integers that overflow become the largest one",
        "scatter_elements": "NaN among data or updates, and no kernel for the smallest and largest of truth "
                            "values",
    },
}
OTHER = "onnxruntime" if uses_onnxruntime else "reference"
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"exports_{OTHER}.txt")


def evaluator(path):
    if uses_onnxruntime:
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            return None
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(path)


def difference(got, expected):
    """Returns why the result is not the expected one, or an empty text."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype}{got.shape} is not {expected.dtype}{expected.shape}"
    if got.size == 0 or np.array_equal(got, expected, equal_nan=got.dtype.kind == "f"):
        return ""
    if got.dtype.kind != "f":
        return f"{got.ravel()[:6]} is not {expected.ravel()[:6]}"
    finite = np.isfinite(expected)
    if not np.array_equal(np.isnan(got), np.isnan(expected)) or not np.array_equal(np.isfinite(got),
            finite) or (got[~finite & ~np.isnan(got)] != expected[~finite & ~np.isnan(got)]).any():
        at = np.flatnonzero((np.isfinite(got) != finite) | (np.isnan(got) != np.isnan(expected)))[:1]
        return f"element {at} is {got.ravel()[at]}, not {expected.ravel()[at]}"
    most = np.abs(expected[finite]).max(initial=0)
    off = np.abs(got[finite].astype(np.float64) - expected[finite]).max(initial=0)
    return "" if off <= 1e-6 + 2e-5 * most else f"off by {off} where the largest value is {most}"


def op_of(name):
    """Returns the op of a result with the name CASE, CASE OPERANDS or CASE OPERANDS RESULT."""
    return name.split(" ")[0].rsplit("-", 1)[0]


def main(folder):
    counts, wrong = collections.Counter(), {}  # by result: why it differs
    for case in sorted(os.listdir(folder)):
        path = f"{folder}/{case}/model.onnx"
        if uses_onnxruntime and any(np.load(file).size == 0
                                    for file in glob.glob(f"{folder}/{case}/0-input_*.npy")):
            counts["without elements"] += 1  # some kernels of ONNX Runtime crash
            continue
        try:
            onnx.checker.check_model(path, full_check=True)
            model = evaluator(path)
        except Exception as e:  # noqa: BLE001
            wrong[case] = f"it is refused: {str(e)[-300:]}"
            continue
        if model is None:
            counts["without a kernel"] += 1
            continue
        names = [value.name for value in onnx.load(path).graph.input]
        for k in range(len(glob.glob(f"{folder}/{case}/*-output_0.npy"))):
            values = {name: np.load(f"{folder}/{case}/{k}-input_{name[1:]}.npy") for name in names}
            try:
                results = model.run(None, values)
            except Exception as e:  # noqa: BLE001
                wrong[f"{case} {k}"] = f"{type(e).__name__}: {str(e)[:150]}"
                continue
            counts["compared"] += 1
            for i, result in enumerate(results):
                if why := difference(np.asarray(result), np.load(f"{folder}/{case}/{k}-output_{i}.npy")):
                    wrong[f"{case} {k} {i}"] = why
    if "--write" in sys.argv[3:]:
        open(LIST, "w").write("".join(f"{name}\n" for name in sorted(wrong)))
    known = set(open(LIST).read().split("\n")) - {""}
    unknown = {name: why for name, why in wrong.items() if name not in known
               or op_of(name) not in REASONS[OTHER]}
    for op, count in sorted(collections.Counter(map(op_of, wrong)).items()):
        print(f"{op}: {count} results differ: {REASONS[OTHER].get(op, 'the reason is not known')}")
    for name, why in unknown.items():
        print(f"    {name} is not in {os.path.basename(LIST)}: {why}")
    failed = counts["compared"] < 4000 or bool(unknown)
    print(dict(counts))
    return int(failed)


# Each file is flushed to the disk when it is written, which takes minutes unless the folder is in memory.
with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as temporary:
    subprocess.run([sys.argv[2], temporary], check=True)
    sys.exit(main(temporary))
