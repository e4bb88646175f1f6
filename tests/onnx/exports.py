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

# Where the values differ by the choice of the other program: NumPy and ONNX Runtime order NaN and equal elements in their own ways, and the
# evaluator computes these ops in another way than ONNX defines them.
FREE = {
    "reference": {},
    "onnxruntime": {},
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
    if not sys.argv[2].startswith("/folder="):
        subprocess.run([sys.argv[2], folder], check=True)
    counts, wrong = collections.Counter(), collections.defaultdict(list)
    for case in sorted(os.listdir(folder)):
        path = f"{folder}/{case}/model.onnx"
        if os.environ.get("TRACE"): print(case, file=sys.stderr, flush=True)
        onnx.checker.check_model(path, full_check=True)
        try:
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
    free = FREE["onnxruntime" if uses_onnxruntime else "reference"]
    for op, texts in wrong.items():
        print(f"{op}: {len(texts)} differ{', which is known: ' + free[op] if op in free else ''}")
        for text in texts[:3]:
            print("   ", text)
    print(dict(counts))
    return 1 if set(wrong) - set(free) or counts["compared"] < 1000 else 0


if sys.argv[2].startswith("/folder="):
    sys.exit(main(sys.argv[2].removeprefix("/folder=")))
# Each file is flushed to the disk when it is written, which takes minutes unless the folder is in memory.
with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as temporary:
    sys.exit(main(temporary))
