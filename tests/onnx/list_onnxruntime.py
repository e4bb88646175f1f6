#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints which of the counted cases ONNX Runtime passes on its CPU provider, one name per line.

Usage: list_onnxruntime.py DEPS CASES > onnxruntime.txt. CASES is the folder that cases.py wrote; the wheel
comes from `third_party/setup.sh --peer`. Results are compared as in onnx.backend.test.runner. A case that
ends the process counts as failed, so each batch of cases runs in a process of its own."""
import os
import subprocess
import sys

deps, folder = sys.argv[1:3]
for name in ("onnx", "numpy", "protobuf", "ml_dtypes", "typing_extensions", "onnxruntime"):
    sys.path.insert(0, os.path.join(deps, name))


def passes(name):
    import ml_dtypes
    import numpy
    import onnx
    import onnxruntime
    from onnx import numpy_helper
    from onnx.backend.test.runner import Runner

    def tensors(kind, count):
        paths = [os.path.join(folder, name, f"{kind}_{i}.pb") for i in range(count)]
        return [numpy_helper.to_array(onnx.load_tensor(path)) for path in paths]
    model = onnx.load(os.path.join(folder, name, "model.onnx"))
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
        def value_of(array):
            if array.dtype.name != "bfloat16":
                return onnxruntime.OrtValue.ortvalue_from_numpy(array)
            return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(numpy.uint16),
                    onnx.TensorProto.BFLOAT16)

        def array_of(value):
            if value.data_type() != "tensor(bfloat16)":
                return value.numpy()
            # OrtValue.numpy() does not know bf16, so ONNX Runtime converts the elements to f32, which is
            # exact.
            to_f32 = onnx.helper.make_model(onnx.helper.make_graph(
                [onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT)], "g",
                [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.BFLOAT16, None)],
                [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)]),
                                            opset_imports=[onnx.helper.make_operatorsetid("", 19)],
                                            ir_version=9)
            as_f32 = onnxruntime.InferenceSession(to_f32.SerializeToString(), options,
                                                  providers=["CPUExecutionProvider"])
            return as_f32.run_with_ort_values(None, {"x": value})[0].numpy().astype(ml_dtypes.bfloat16)
        feeds = {info.name: value_of(array) for info,
                 array in zip(model.graph.input, tensors("input", len(model.graph.input)))}
        expected = tensors("output", len(model.graph.output))
        results = [array_of(value) for value in session.run_with_ort_values(None, feeds)]
        Runner.assert_similar_outputs(expected, results, rtol=1e-3, atol=1e-7)
        return True
    except Exception:  # an op without a kernel, an invalid model, or another result
        return False


if len(sys.argv) > 3:
    for name in sys.argv[3:]:
        if passes(name):
            print(name, flush=True)
    sys.exit()
names = sorted(os.listdir(folder))


def run(batch):
    child = subprocess.run([sys.executable, *sys.argv, *batch], stdout=subprocess.PIPE, text=True)
    if child.returncode == 0 or len(batch) == 1:
        return child.stdout.split()
    return [name for half in (batch[:len(batch) // 2], batch[len(batch) // 2:]) for name in run(half)]


for start in range(0, len(names), 100):
    print("\n".join(run(names[start:start + 100])), flush=True)
