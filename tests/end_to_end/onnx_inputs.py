# SPDX-License-Identifier: Apache-2.0
"""Tests the commands with ONNX models whose inputs are indices, 16-bit numbers, or constants of the
program."""
import json

from harness import *  # noqa: F403
import onnx_wheels  # noqa: F401, before numpy and onnx
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


random = np.random.default_rng(1)


def works(*arguments):
    done = run(*map(str, arguments))
    expect(done.returncode == 0, f"{arguments[0]} works", done)
    return done.stdout


# A model that reads indices. Negative indices count from the end. No node reads its input 'mask'.
table, head = random.normal(0, 1, (5, 4)).astype(np.float32), random.normal(0, 1, (8, 3)).astype(np.float32)
graph = helper.make_graph([helper.make_node("Gather", ["table", "index"], ["rows"]),
                           helper.make_node("Flatten", ["rows"], ["flat"]),
                           helper.make_node("MatMul", ["flat", "head"], ["logits"])], "g",
                          [helper.make_tensor_value_info("index", TensorProto.INT64, ["batch", 2]),
                           helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", 3])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(table, "table"), numpy_helper.from_array(head, "head")])
lookup = f"{folder}/lookup.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), lookup)
index = np.arange(16).reshape(8, 2) % 10 - 5
for name, value in {"index": index, "far": np.where(index == -5, -6, index),
                    "float": index.astype(np.float32), "mask": np.ones((8, 3), np.float32),
                    "class": np.arange(8, dtype=np.int32) % 3,
                    "ignored": np.where(np.arange(8) == 3, -100, np.arange(8) % 3).astype(np.int32)}.items():
    np.save(f"{folder}/{name}.npy", value)


def given(file, option="--samples"):
    return [option, f"index={folder}/{file}.npy", option, f"label={folder}/class.npy"]


training = ["train", lookup, "--batch", "8", "--loss", "cross_entropy", "--learning-rate", "0",
            "--steps", "1"]
works(*training, *given("index"), *given("index", "--test-samples"), "--json", f"{folder}/lookup.json")
logits = table[index].reshape(8, 8) @ head
loss = np.mean(np.log(np.exp(logits).sum(1)) - logits[range(8), np.arange(8) % 3])
report = json.load(open(f"{folder}/lookup.json"))
expect(abs(report["loss"][0] - loss) < 1e-5 and abs(report["evaluations"][0]["loss"] - loss) < 1e-5,
       f"negative indices count from the end, and the mask is not needed: {report} {loss}")
checking = ["verify", lookup, "--batch", "8", "--steps", "1", "--devices", "cpu:0,sim:0"]
works(*checking, "--samples", f"index={folder}/index.npy")  # nothing reads the mask
refuse("an index before the table", *checking, "--samples", f"index={folder}/far.npy",
       says="has -6 in 'index', and the model takes numbers from -5 to 4 there", code=1)
refuse("an index before the table", *training, *given("far"), code=1,
       says="has -6 in 'index', and the model takes numbers from -5 to 4 there (samples are counted from 0; "
            "correct the sample, or give a model with more classes or a larger vocabulary;")
refuse("a label that PyTorch ignores", *training, *given("index")[:2],
       "--samples", f"label={folder}/ignored.npy", code=1,
       says="sample 3 has -100 in 'label', and the model takes numbers from 0 to 2 there (samples are "
            "counted from 0; correct the sample, because the model ignores no label, not even -100)")
refuse("an index with the type f32", *training, *given("float"), says="have the element type f32, and the "
       "model reads i64 (convert the array, with numpy: x.astype('int64'))", code=2)
refuse("samples without the index", *training, *given("index")[2:],
       says="the samples have no 'index', an input of the model", code=2)
refuse("samples for evaluation without the index", *training, *given("index"),
       *given("index", "--test-samples")[2:], says="the samples for evaluation have no 'index'", code=2)

np.save(f"{folder}/rows.npy", random.normal(0, 1, (8, 8)).astype(np.float32))
# The program that trains a model of f16 has hyper-parameters of f16, and files have its samples.
graph = helper.make_graph([helper.make_node("MatMul", ["x", "head"], ["logits"])], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["batch", 8])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT16, None)],
                          [numpy_helper.from_array(head.astype(np.float16), "head")])
halves = f"{folder}/halves.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), halves)
np.save(f"{folder}/half.npy", random.normal(0, 1, (8, 8)).astype(np.float16))
of_halves = ["--batch", 8, "--loss", "cross_entropy", "--samples", f"x={folder}/half.npy",
             "--samples", f"label={folder}/class.npy"]
works("verify", halves, *of_halves, "--devices", "cpu:0", "--devices", "cpu:0,opencl:0")
works("train", halves, *of_halves, "--steps", 2)
works("compile", halves, "--batch", 8, "--loss", "cross_entropy", "-o", f"{folder}/halves.cutset")
refuse("an array of another type", "run", halves, "--input", f"x={folder}/rows.npy", says="the array for 'x' "
       "has the element type f32, and the program reads f16 (convert the array, with numpy: "
       "x.astype('float16'))", code=2)
works("run", halves, "--input", f"x={folder}/half.npy")

# An input without a dimension of samples is a constant of the program.
graph = helper.make_graph([helper.make_node("Mul", ["x", "mask"], ["h"]),
                           helper.make_node("MatMul", ["h", "head"], ["logits"])], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8]),
                           helper.make_tensor_value_info("mask", TensorProto.FLOAT, [8])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(head, "head")])
masked = f"{folder}/masked.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), masked)
np.save(f"{folder}/of8.npy", np.arange(8, dtype=np.float32) % 3)
known = ["--known", f"mask={folder}/of8.npy"]
works("run", masked, *known, "--input", f"x={folder}/rows.npy", "--output-dir", folder)
logits = (np.load(f"{folder}/rows.npy") * (np.arange(8) % 3)) @ head
expect(np.abs(np.load(f"{folder}/logits.npy") - logits).max() < 1e-5, "the mask is a constant")
works("train", masked, *known, "--batch", 8, "--loss", "cross_entropy", "--samples", f"x={folder}/rows.npy",
      "--samples", f"label={folder}/class.npy", "--steps", 1, "--json", f"{folder}/masked.json")
loss = np.mean(np.log(np.exp(logits).sum(1)) - logits[range(8), np.arange(8) % 3])
expect(abs(json.load(open(f"{folder}/masked.json"))["loss"][0] - loss) < 1e-5,
       "training reads the constant mask")
refuse("an input that is a constant", "run", masked, *known, "--input", f"x={folder}/rows.npy",
       "--input", f"mask={folder}/of8.npy", says="has no input 'mask'", code=2)

# A run gives NaN for an index that is out of range, and says so.
inputs = ["--input", f"mask={folder}/mask.npy", "--batch", "8"]
said = run("run", lookup, "--input", f"index={folder}/far.npy", *inputs).stderr
expect("note: the output 'logits' has elements that are not finite; the first one is nan at element [0, 0] "
       "(an index" in said, f"a note names the first element that is not finite: {said}")
expect("note:" not in run("run", lookup, "--input", f"index={folder}/index.npy", *inputs).stderr,
       "there is no note of finite outputs")

# A trace has the instructions of the last run alone.
works("run", lookup, "--input", f"index={folder}/index.npy", *inputs, "--repeat", "3",
      "--trace", f"{folder}/trace.json")
traced = [e for e in json.load(open(f"{folder}/trace.json"))["traceEvents"] if e["ph"] == "X"
          and "MatMul" in e["name"]]
expect(len(traced) == 1, f"the trace has one product: {traced}")

refuse("a data set without an input of the model", *training, "--dataset", "id-table", "--data", lookup,
       says="'label' (8xi32): the data set has no 'mask' (choose another --dataset, or give --samples "
            "NAME=FILE.npy once per input; --known makes an input of an ONNX model a constant", code=2,
       hint=False)
finish()
