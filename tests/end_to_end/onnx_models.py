# SPDX-License-Identifier: Apache-2.0
"""Tests the commands with a small ONNX model: run, compile, verify, explain and train. The script computes
what the model computes itself."""
import json

from harness import *  # noqa: F403
import onnx_wheels  # noqa: F401, before numpy and onnx
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(1)
weights = {"first.weight": random.normal(0, 0.5, (6, 16)), "first.bias": random.normal(0, 0.5, 16),
           "second.weight": random.normal(0, 0.5, (16, 3))}
weights = {name: value.astype(np.float32) for name, value in weights.items()}
nodes = [helper.make_node("Flatten", ["x"], ["flat"], name="/flatten"),
         helper.make_node("Gemm", ["flat", "first.weight", "first.bias"], ["h"], name="/first/Gemm"),
         helper.make_node("Tanh", ["h"], ["t"], name="/first/Tanh"),
         helper.make_node("MatMul", ["t", "second.weight"], ["logits"], name="/second/MatMul")]
graph = helper.make_graph(nodes, "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "rows", 2])],
                          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(v, n) for n, v in weights.items()])
path = f"{folder}/model.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def works(*arguments):
    done = run(*map(str, arguments))
    expect(done.returncode == 0, f"{arguments[0]} works", done)
    return done.stdout


def logits_of(x):
    return np.tanh(x.reshape(len(x), 6) @ weights["first.weight"] + weights["first.bias"]) @ weights[
        "second.weight"]


x = random.normal(0, 1, (40, 3, 2)).astype(np.float32)
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/label.npy", (x.sum((1, 2)) > 0).astype(np.int32))

works("run", path, "--batch", 40, "--size", "rows=3", "--input", f"x={folder}/x.npy", "--output-dir", folder)
assert np.abs(np.load(f"{folder}/logits.npy") - logits_of(x)).max() < 1e-5
os.remove(f"{folder}/logits.npy")
works("run", path, "--input", f"x={folder}/x.npy", "--output-dir", folder)  # the array gives the sizes
assert np.abs(np.load(f"{folder}/logits.npy") - logits_of(x)).max() < 1e-5
os.remove(f"{folder}/logits.npy")
works("compile", path, "--batch", 40, "--size", "rows=3", "-o", f"{folder}/model.cutset")
works("run", f"{folder}/model.cutset", "--input", f"x={folder}/x.npy", "--output-dir", folder)
assert np.abs(np.load(f"{folder}/logits.npy") - logits_of(x)).max() < 1e-5
works("verify", path, "--batch", 7, "--size", "rows=3", "--devices", "cpu:0,sim:0", "--strategy", "data(2)")
# The program that `train` runs, with labels from a file or with random ones.
works("verify", path, "--batch", 8, "--size", "rows=3", "--devices", "cpu:0,sim:0", "--loss", "cross_entropy",
      "--json", f"{folder}/trained.json")
evaluated = json.loads(works("verify", path, "--batch", 8, "--size", "rows=3", "--devices", "cpu:0,sim:0",
                             "--json", "-"))
expect(json.load(open(f"{folder}/trained.json"))[0]["ops"] > 2 * evaluated[0]["ops"],
       "with a loss, verify compares the gradients, too")
works("verify", path, "--batch", 8, "--size", "rows=3", "--devices", "cpu:0,sim:0", "--loss", "cross_entropy",
      "--samples", f"x={folder}/x.npy", "--samples", f"label={folder}/label.npy")
works("verify", path, "--batch", 8, "--samples", f"x={folder}/x.npy")  # the samples give the other sizes
works("compile", path, "--size", "batch=6", "--size", "rows=3", "-o", f"{folder}/six.cutset")
works("run", path, "--batch", 40, "--input", f"x={folder}/x.npy")
text = works("explain", path, "--batch", 4, "--size", "rows=3")
assert "model.onnx:2" in text and "first/Gemm" in text, text

# The losses fall, and a last batch with fewer samples is left out.
samples = ["--samples", f"x={folder}/x.npy", "--samples", f"label={folder}/label.npy"]
shape = ["--size", "rows=3", "--batch", 16]
works("train", path, *shape, "--loss", "cross_entropy", *samples, "--epochs", 20, "--learning-rate", 0.1,
      "--json", f"{folder}/train.json", "--test-samples",
    f"x={folder}/x.npy", "--test-samples", f"label={folder}/label.npy",
      "--save", f"{folder}/trained.safetensors")
trained = json.load(open(f"{folder}/train.json"))
assert trained["steps"] == 40 and len(trained["accuracy"]) == 20, trained
said = run("train", path, *map(str, shape), "--loss", "cross_entropy", *samples, "--steps", "1",
           "--test-samples", f"x={folder}/x.npy", "--test-samples", f"label={folder}/label.npy").stderr
for what in ("each epoch of training", "each evaluation"):
    expect(f"note: 8 of the 40 samples for {what} are left out" in said,
           f"a note says what {what} leaves out: {said}")
one_left = ["train", path, "--size", "rows=3", "--batch", "13", "--loss", "cross_entropy", *samples,
            "--steps", "1", "--devices", "cpu:0", "--devices", "reference:0"]
said = run(*one_left).stderr
expect(said.count("note: 1 of the 40 samples for each epoch of training is left out") == said.count("note:")
       == 1, f"two runs have one note: {said}")
expect("note:" not in run(*one_left, "--quiet").stderr, "--quiet prints no note on the samples")
said = run("train", path, "--size", "rows=3", "--batch", "20", "--loss", "cross_entropy", *samples,
           "--steps", "1").stderr
expect("left out" not in said, f"no samples are left out: {said}")

# The mask of an attention holds -inf. The model is saved with this mask, even if the mask counts as trained.
mask = np.array([0, 0, 0, -np.inf], np.float32)
attention = [helper.make_node("Flatten", ["x"], ["flat"]),
             helper.make_node("MatMul", ["flat", "score.weight"], ["scores"]),
             helper.make_node("Add", ["scores", "mask"], ["masked"]),
             helper.make_node("Softmax", ["masked"], ["shares"], axis=-1),
             helper.make_node("MatMul", ["shares", "value.weight"], ["logits"])]
held = {"score.weight": random.normal(0, 0.5, (6, 4)).astype(np.float32),
        "value.weight": random.normal(0, 0.5, (4, 3)).astype(np.float32), "mask": mask}
masked = helper.make_graph(attention, "g",
                           [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 2])],
                           [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                           [numpy_helper.from_array(v, n) for n, v in held.items()])
onnx.save(helper.make_model(masked, opset_imports=[helper.make_opsetid("", 17)]), f"{folder}/masked.onnx")
works("train", f"{folder}/masked.onnx", "--batch", 8, "--loss", "cross_entropy", *samples,
      "--learning-rate", 0.1, "--epochs", 2, "--save", f"{folder}/masked.safetensors",
      "--checkpoint-dir", f"{folder}/masked")
saved = open(f"{folder}/masked.safetensors", "rb").read()
head = json.loads(saved[8 : 8 + int.from_bytes(saved[:8], "little")])
begin, end = (8 + int.from_bytes(saved[:8], "little") + o for o in head["mask"]["data_offsets"])
expect(np.array_equal(np.frombuffer(saved[begin:end], np.float32) == -np.inf, mask == -np.inf),
       "-inf of the mask is saved")
works("train", f"{folder}/masked.onnx", "--batch", 8, "--loss", "cross_entropy", *samples,
      "--learning-rate", 0.1, "--epochs", 3, "--resume", f"{folder}/masked")

# NumPy has no bf16, so samples of f32 are rounded for a model that reads bf16.
halves = helper.make_graph([helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.FLOAT),
                            *(helper.make_node("Flatten", ["wide"], ["flat"]) if n.name == "/flatten"
                              else n for n in nodes)], "g",
                           [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, ["batch", 3, 2])],
                           [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
                           [numpy_helper.from_array(v, n) for n, v in weights.items()])
onnx.save(helper.make_model(halves, opset_imports=[helper.make_opsetid("", 17)]), f"{folder}/halves.onnx")
import ml_dtypes

np.save(f"{folder}/rounded.npy", x.astype(ml_dtypes.bfloat16).astype(np.float32))
label = ["--samples", f"label={folder}/label.npy", "--batch", 20, "--loss", "cross_entropy", "--steps", 3,
         "--json", "-"]
got = json.loads(works("train", f"{folder}/halves.onnx", "--samples", f"x={folder}/x.npy", *label))["loss"]
want = json.loads(works("train", path, "--samples", f"x={folder}/rounded.npy", *label))["loss"]
expect(np.allclose(got, want, rtol=1e-6, atol=0), f"samples are rounded to bf16: {got} {want}")
works("verify", f"{folder}/halves.onnx", "--samples", f"x={folder}/x.npy", "--batch", 8)

first = -np.log(np.exp(logits_of(x)) / np.exp(logits_of(x)).sum(1, keepdims=True))[range(40),
        np.load(f"{folder}/label.npy")]
works("train", path, "--batch", 20, "--loss", "cross_entropy", *samples, "--steps", 1)
assert min(first) < trained["loss"][0] < max(first), (trained["loss"][0], first)
assert np.mean(trained["loss"][-4:]) < 0.7 * np.mean(trained["loss"][:4]) and trained["accuracy"][
    -1] > 0.8, trained
works("train", path, *shape, "--loss", "cross_entropy", *samples, "--steps", 3, "--devices", "cpu:0,sim:0",
      "--strategy", "data(2)", "--init", f"{folder}/trained.safetensors", "--json",
    f"{folder}/again.json")
assert json.load(open(f"{folder}/again.json"))["loss"][0] < trained["loss"][0]

# A loss without classes is evaluated, too.
regression = ["--samples", f"x={folder}/x.npy", "--samples", f"label={folder}/logits.npy",
              "--test-samples", f"x={folder}/x.npy", "--test-samples", f"label={folder}/logits.npy"]
works("train", path, *shape, "--loss", "mse_loss", *regression, "--json", f"{folder}/regression.json",
      "--dot", f"{folder}/regression.dot")
expect(".cc:" not in open(f"{folder}/regression.dot").read(),
       "no part of the loss of an ONNX model is drawn with a line of the command's own source")
evaluation = json.load(open(f"{folder}/regression.json"))["evaluations"][0]
# the model computes its labels
assert evaluation.keys() == {"step", "loss"} and 0 <= evaluation["loss"] < 1e-6, evaluation

# A depthwise convolution and a pooling run with more threads than they were compiled for, and with fewer.
graph = helper.make_graph([helper.make_node("Conv", ["x", "filter"], ["h"], group=64, pads=[1, 1, 1, 1]),
                           helper.make_node("MaxPool", ["h"], ["y"], kernel_shape=[3, 3])], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 64, 20, 20])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                          [numpy_helper.from_array(random.normal(0, 1, (64, 1, 3, 3)).astype(np.float32),
                                                   "filter")])
windows = f"{folder}/windows.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), windows)
np.save(f"{folder}/image.npy", random.normal(0, 1, (2, 64, 20, 20)).astype(np.float32))
results = []
for compiled, used in ((1, 1), (1, 3), (3, 1), (3, 3)):
    works("compile", windows, "--threads", compiled, "-o", f"{folder}/windows.cutset")
    works("run", f"{folder}/windows.cutset", "--threads", used, "--input", f"x={folder}/image.npy",
          "--output-dir", folder)
    results.append(np.load(f"{folder}/y.npy"))
expect(all((r == results[0]).all() for r in results), "the numbers of threads change no bits")

# An input decides how often a loop runs.
doubled = helper.make_graph([helper.make_node("Add", ["v", "v"], ["next"]),
                             helper.make_node("Identity", ["go"], ["on"])], "body",
                            [helper.make_tensor_value_info("i", TensorProto.INT64, []),
                             helper.make_tensor_value_info("go", TensorProto.BOOL, []),
                             helper.make_tensor_value_info("v", TensorProto.FLOAT, None)],
                            [helper.make_tensor_value_info("on", TensorProto.BOOL, []),
                             helper.make_tensor_value_info("next", TensorProto.FLOAT, None)])
graph = helper.make_graph([helper.make_node("Loop", ["trips", "", "x"], ["y"], body=doubled)], "g",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 2]),
                           helper.make_tensor_value_info("trips", TensorProto.INT64, [])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
repeated = f"{folder}/repeated.onnx"
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), repeated)
np.save(f"{folder}/trips.npy", np.array(3))
x_of_run = ["--batch", "40", "--input", f"x={folder}/x.npy"]
refuse("a trip count that is an input", "run", repeated, *x_of_run, "--input", f"trips={folder}/trips.npy",
       says="the trip count of the node that computes 'y' is computed when the program runs", code=1,
       hint=False)
works("run", repeated, *x_of_run, "--known", f"trips={folder}/trips.npy", "--output-dir", folder)
expect((np.load(f"{folder}/y.npy") == 8 * x).all(), "the loop runs three times")
works("compile", repeated, "--batch", 40, "--known", f"trips={folder}/trips.npy", "-o",
      f"{folder}/repeated.cutset")
os.remove(f"{folder}/y.npy")
works("run", f"{folder}/repeated.cutset", *x_of_run[2:], "--output-dir", folder)
expect((np.load(f"{folder}/y.npy") == 8 * x).all(), "the loop of the saved program runs three times")

shape = list(map(str, shape))
for what, says, code, *arguments in [
        ("an open size", "leaves sizes open: dimension 1 of the input 'x' ('rows') (give --size rows=N, or "
                         "ImportOptions::sizes; cutset run, train", 2, "run", path, "--batch", "2"),
        ("an array with fewer dimensions",
         "the input 'x' has the rank 3 in the model, and the array for it has the rank 1", 2, "run", path,
         "--input", f"x={folder}/label.npy"),
        ("a missing input", "there is no array for 'x', an input of 'evaluate' (give --input x=FILE.npy; its "
                            "type is 2x3x2xf32)", 2, "run", path, "--batch", "2", "--size", "rows=3"),
        ("an input of a saved program that is missing",
         "there is no array for 'x', an input of 'evaluate' (give --input x=FILE.npy; its type is "
         "40x3x2xf32)", 2, "run", f"{folder}/model.cutset"),
        ("samples for another fixed batch",
         "the model fixes the first size of the input 'x' at 2, and the batch is 16 (give --batch 2", 2,
         "verify", windows, "--samples", f"x={folder}/image.npy"),
        ("another batch of a model that fixes it",
         "the model fixes the first size of the input 'x' at 2, and the batch is 7", 2, "dump", windows,
         "--batch", "7"),
        ("a function that is not there", "there is no function 'train' (the functions are 'evaluate')", 2,
         "run", path, "--input", f"x={folder}/x.npy", "--function", "train"),
        ("another input beside an open size", "the model has no input 'token' (its inputs are 'x')",
         2, "run", path, "--input", f"token={folder}/x.npy"),
        ("known elements of no input beside an open size",
         "the model has no input 'token' (its inputs are 'x')", 2, "explain", path,
         "--known", f"token={folder}/x.npy"),
        ("samples of no input beside an open size", "the model has no input 'token' (its inputs are 'x')",
         2, "train", path, "--loss", "cross_entropy", "--samples", f"token={folder}/x.npy", *samples[2:]),
        ("samples of no input beside an open size", "the model has no input 'token' (its inputs are 'x')",
         2, "verify", path, "--samples", f"token={folder}/x.npy"),
        ("samples of no input", "the samples have 'token', which is not an input of the model (its inputs "
                                "are 'x')", 2, "verify", path, *shape, "--samples", f"token={folder}/x.npy"),
        ("samples of no input", "the samples have 'y', which is not an input of the model (its inputs are "
                                "'x', 'label')", 2, "train", path, *shape, "--loss", "cross_entropy",
         *samples, "--samples", f"y={folder}/x.npy"),
        ("tests of no input", "the samples for evaluation have 'y', which is not an input of the model (its "
                              "inputs are 'x', 'label')", 2, "train", path, *shape, "--loss", "cross_entropy",
         *samples, "--test-samples",
         f"y={folder}/x.npy"),
        ("another input", "has no input 'y' (its inputs are 'x')", 2, "run", path, "--batch", "2",
         "--size", "rows=3", "--input", f"y={folder}/x.npy"),
        ("a size without a number", "--size 'rows' is not NAME=N", 2, "run", path, "--size", "rows"),
        ("a size that is given twice", "the size 'rows' is given twice", 2, "run", path, "--size", "rows=3",
         "--size", "rows=4"),
        ("a size that the model does not have",
         "the model has no open size 'nosuch' (the model leaves sizes open: dimension 0 of the input 'x' "
         "('batch'), dimension 1 of the input 'x' ('rows'))", 2, "run", path, "--size", "rows=3",
         "--size", "nosuch=4"),
        ("a size of a model that has none", "the model has no open size 'n' (the model leaves no size open)",
         2, "dump", windows, "--size", "n=2"),
        ("a size of a built-in model", "the model 'mlp' has no size 'rows'", 2, "dump", "mlp",
         "--size", "rows=4"),
        ("devices of a saved program", "--devices is for ONNX models", 2, "run", f"{folder}/model.cutset",
         "--devices", "cpu:0"),
        ("a missing file", "missing.onnx", 1, "run", f"{folder}/missing.onnx"),
        ("no loss", "an ONNX model has no loss (give a loss, such as --loss cross_entropy, and samples by "
                    "--samples or --dataset)", 2, "train", path, *shape),
        ("no loss beside samples", "an ONNX model has no loss (give a loss, such as --loss cross_entropy)",
         2, "train", path, *shape, *samples),
        ("no loss beside a data set", "an ONNX model has no loss (give a loss, such as --loss cross_entropy)",
         2, "train", path, *shape, "--dataset", "fashion-mnist"),
        ("a data set without a loss",
         "the model has no input for 'label' of the data set (choose another --dataset, or give --samples "
         "NAME=FILE.npy once per input; --loss adds the input 'label' to an ONNX model)", 2, "verify", path,
         *shape, "--dataset", "fashion-mnist"),
        ("no samples", "an ONNX model has no samples of its own", 2, "train", path, *shape,
         "--loss", "cross_entropy"),
        ("no labels", "the samples have no 'label'", 2, "train", path, *shape, "--loss", "cross_entropy",
         *samples[:2]),
        ("dropout of an ONNX model", "--dropout is for built-in models", 2, "verify", path, *shape,
         "--dropout", "0"),
        ("an input without samples", "'x'", 2, "train", path, *shape, "--loss", "cross_entropy",
         *samples[2:]),
        ("another result", "the model has no output 'z' (its outputs are 'logits')", 2, "train", path,
         *shape, "--loss", "cross_entropy", *samples, "--result", "z"),
        ("few samples", "there are 40 samples, fewer than a batch of 64 (give a smaller --batch)", 2,
         "train", path, "--size", "rows=3", "--batch", "64", "--loss", "cross_entropy", *samples),
        ("few tests",
         "there are 40 samples for evaluation, fewer than a batch of 64 (give a smaller --batch)", 2,
         "train", path, "--size", "rows=3", "--batch", "64", "--loss", "cross_entropy", *samples,
         "--test-samples",
         f"x={folder}/x.npy", "--test-samples", f"label={folder}/label.npy"),
        ("a loss that depends on no weight",
         "--loss mse_loss: minimize trains nothing: the loss depends on no trainable variable", 2, "verify",
         repeated, "--batch", "40", "--known", f"trips={folder}/trips.npy", "--loss", "mse_loss"),
        ("a result without a loss", "give --loss, too", 2, "verify", path, *shape, "--result", "logits"),
        ("known elements of no input", "the model has no input 'z' (its inputs are 'x')", 2, "run", path,
         "--size", "rows=3", "--known", f"z={folder}/x.npy"),
        ("known elements of a built-in model", "--known is for ONNX models", 2, "verify", "mlp",
         "--known", f"x={folder}/x.npy"),
        ("known elements of a saved program", "--known is for ONNX models", 2, "run",
         f"{folder}/model.cutset", "--known", f"x={folder}/x.npy"),
        ("a trace of a saved program", "--trace is for ONNX models", 2, "run", f"{folder}/model.cutset",
         "--trace", f"{folder}/t.json"),
        ("an input that is given twice", "--input names 'x' twice", 2, "run", path, "--size", "rows=3",
         "--input", f"x={folder}/x.npy", "--input", f"x={folder}/x.npy"),
        ("a benchmark of an ONNX model", "is not a saved program", 1, "benchmark", path),
        ("a loss of another file",
         "'mini.pt' is neither a built-in model nor an ONNX file, whose name ends in .onnx (export", 2,
         "train", "mini.pt", "--loss", "cross_entropy"),
        ("a loss of an unknown model",
         "'gpt2' is neither a built-in model nor an ONNX file, whose name ends in .onnx (export", 2,
         "train", "gpt2", "--loss", "cross_entropy"),
        ("a loss of a built-in model", "are for ONNX models", 2, "train", "mlp", "--loss", "cross_entropy"),
        ("classes of a built-in model", "are for ONNX models", 2, "train", "mlp", "--class-axis", "1")]:
    refuse(what, *arguments, says=says, code=code, hint=False)
finish()
