#!/usr/bin/env python3
"""Checks exported models independently of this project: onnx.checker accepts them, and another program computes the expected values.

Usage: exports.py DEPS PROGRAM [onnxruntime]

PROGRAM is cutset_onnx_exports, which writes one model per test problem of an op. The other program is onnx.reference.ReferenceEvaluator, from the
wheel of onnx in the folder DEPS; or ONNX Runtime, which must be installed, and which is not part of the tests. ONNX Runtime has no kernels
for some element types; these models are counted, and do not fail."""
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

# How many results of an op differ at most by the other program's doing, and why. ONNX does not define NaN in a maximum of windows, lines or
# updates, and it defines no accuracy.
KNOWN = {
    "reference": {
        "avg_pool": (10, "the evaluator leaves NaN out of means of dilated windows"),
        "conv_transpose": (13, "the evaluator fails for groups and for results without elements"),
        "gather_elements": (12, "the evaluator refuses fewer indices than elements along other dimensions"),
        "gru": (12, "the evaluator ignores the direction"), "lstm": (12, "the evaluator ignores the direction"),
        "rnn": (18, "the evaluator does not know the activation Relu"),
        "layer_norm": (10, "the evaluator subtracts the square of a large mean"),
        "log_softmax": (4, "the evaluator takes the logarithm of 0"), "softmax_cross_entropy": (6, "as log_softmax"),
        "max_pool": (12, "the evaluator refuses results without elements"), "max_pool_indices": (12, "as max_pool"),
        "scatter_elements": (6, "NaN among updates"), "trilu": (4, "the evaluator refuses the largest diagonals"),
    },
    "onnxruntime": {
        "avg_pool": (8, "it refuses padding that is not smaller than the kernel, also of dilated windows"),
        "batch_norm": (32, "it computes x * a + b, which loses digits of a large mean, and NaN of infinite statistics"),
        "conv_transpose": (1, "it refuses padding that removes all of the result"),
        "gru": (2, "no kernel for f64"), "lstm": (1, "no kernel for f64"),
        "layer_norm": (10, "it subtracts the square of a large mean"),
        "max_pool": (25, "NaN, and padding as for avg_pool"), "max_pool_indices": (7, "as max_pool"),
        "reduce_max": (5, "NaN"), "reduce_min": (5, "NaN"), "reduce_prod": (2, "integers that overflow become the largest one"),
        "scatter_elements": (10, "NaN among data or updates"),
    },
}


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
    if not np.array_equal(np.isnan(got), np.isnan(expected)) or not np.array_equal(np.isfinite(got), finite) or (got[~finite & ~np.isnan(got)] != expected[~finite & ~np.isnan(got)]).any():
        at = np.flatnonzero((np.isfinite(got) != finite) | (np.isnan(got) != np.isnan(expected)))[:1]
        return f"element {at} is {got.ravel()[at]}, not {expected.ravel()[at]}"
    most = np.abs(expected[finite]).max(initial=0)
    off = np.abs(got[finite].astype(np.float64) - expected[finite]).max(initial=0)
    return "" if off <= 1e-6 + 2e-5 * most else f"off by {off} where the largest value is {most}"


def main(folder):
    counts, wrong = collections.Counter(), collections.defaultdict(list)
    for case in sorted(os.listdir(folder)):
        path = f"{folder}/{case}/model.onnx"
        if uses_onnxruntime and any(np.load(file).size == 0 for file in glob.glob(f"{folder}/{case}/0-input_*.npy")):
            counts["without elements"] += 1  # some kernels of ONNX Runtime crash
            continue
        try:
            onnx.checker.check_model(path, full_check=True)
            model = evaluator(path)
        except Exception as e:  # noqa: BLE001
            wrong[case.rsplit("-", 1)[0]].append(f"{case} is refused: {str(e)[-300:]}")
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
                wrong[case.rsplit("-", 1)[0]].append(f"{case}, operands {k}: {type(e).__name__}: {str(e)[:150]}")
                continue
            counts["compared"] += 1
            for i, result in enumerate(results):
                if why := difference(np.asarray(result), np.load(f"{folder}/{case}/{k}-output_{i}.npy")):
                    wrong[case.rsplit("-", 1)[0]].append(f"{case}, operands {k}, result {i}: {why}")
    known = KNOWN["onnxruntime" if uses_onnxruntime else "reference"]
    failed = counts["compared"] < 4000
    for op, texts in wrong.items():
        most, reason = known.get(op, (0, ""))
        failed |= len(texts) > most
        print(f"{op}: {len(texts)} results differ; {most} may: {reason}")
        if len(texts) > most:
            print("\n".join("    " + text for text in texts))
    print(dict(counts))
    return int(failed)


# Each file is flushed to the disk when it is written, which takes minutes unless the folder is in memory.
with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as temporary:
    subprocess.run([sys.argv[2], temporary], check=True)
    sys.exit(main(temporary))
