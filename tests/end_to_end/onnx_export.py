# SPDX-License-Identifier: Apache-2.0
"""Tests `cutset export`: onnx's checker accepts the models, onnx's evaluator computes what the program of
Cutset computes, and errors leave files as they were."""
import json

from harness import *  # noqa: F403
from safetensors_files import write_arrays
import onnx_wheels  # noqa: F401, before numpy and onnx
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(1)


def works(*arguments):
    done = run(*map(str, arguments))
    expect(done.returncode == 0, f"{arguments[0]} works", done)
    return done


def compare(what, path, program, batch, inputs, function):
    """Compares the results of the model in the file with those of the saved program."""
    for name, value in inputs.items():
        np.save(f"{folder}/{name}.npy", value)
    arguments = [part for name in inputs for part in ("--input", f"{name}={folder}/{name}.npy")]
    works("run", program, "--function", function, *arguments, "--output-dir", folder)
    onnx.checker.check_model(path, full_check=True)
    evaluator = ReferenceEvaluator(path)
    for name, got in zip(evaluator.output_names, evaluator.run(None, inputs)):
        want = np.load(f"{folder}/{name}.npy")
        expect(got.shape == want.shape and got.dtype == want.dtype,
               f"{what}: the type of {name} for batch {batch}")
        expect(np.abs(got.astype(np.float64) - want).max() <= 1e-4 * max(np.abs(want).max(), 1e-6),
               f"{what}: the values of {name} for batch {batch}")


# A file with other values than the initial ones, so that the values of --init must be used.
first = json.loads(works("export", "mlp", "-o", f"{folder}/m.onnx", "--json", "-").stdout)
assert first["function"] == "predict" and first["open_batch"] and first["files"] == [
    f"{folder}/m.onnx"], first
for model in ("mlp", "lenet", "lenet-smooth"):
    exported = f"{folder}/{model}.onnx"
    works("export", model, "--seed", 3, "-o", exported)
    weights = {i.name: onnx.numpy_helper.to_array(i) for i in onnx.load(exported).graph.initializer}
    weights = {name: value * np.float32(0.5) + np.float32(0.01) for name, value in weights.items()
               if "." in name and not name.startswith("constant")}
    write_arrays(f"{folder}/w.safetensors", weights)
    for function in ("predict", "evaluate"):
        done = works("export", model, "--batch", 5, "--function", function,
                     "--init", f"{folder}/w.safetensors", "-o", exported)
        expect("any batch" in done.stdout and not done.stderr, f"{model} has an open batch", done)
        for batch in (5, 1, 8):
            works("compile", model, "--batch", batch, "--init", f"{folder}/w.safetensors", "-o",
                  f"{folder}/program")
            inputs = {"image": random.normal(0, 1, (batch, 1, 28, 28)).astype(np.float32)}
            if function == "evaluate":
                inputs["label"] = random.integers(0, 10, batch).astype(np.int32)
            compare(f"{model} {function}", exported, f"{folder}/program", batch, inputs, function)

# An exported model is imported and exported again, with its weights beside it.
works("export", f"{folder}/lenet.onnx", "--batch", 4, "--external-data", "-o", f"{folder}/again.onnx")
expect(os.path.getsize(f"{folder}/again.onnx") < 20000 < os.path.getsize(f"{folder}/again.onnx.data"),
       "the weights are beside the model")
works("compile", f"{folder}/lenet.onnx", "--batch", 4, "-o", f"{folder}/program")
inputs = {"image": random.normal(0, 1, (4, 1, 28, 28)).astype(np.float32),
          "label": np.arange(4, dtype=np.int32)}
compare("lenet again", f"{folder}/again.onnx", f"{folder}/program", 4, inputs, "evaluate")
works("export", "mlp", "--fixed-batch", "--batch", 3, "-o", f"{folder}/fixed.onnx")
sizes = onnx.load(f"{folder}/fixed.onnx").graph.input[0].type.tensor_type.shape.dim
expect(sizes[0].dim_value == 3, "--fixed-batch writes the batch")

before = open(f"{folder}/m.onnx", "rb").read()
refuse("the training step", "export", "mlp", "-o", f"{folder}/m.onnx", "--function", "train",
       says="updates variables", code=2)
refuse("another function", "export", "mlp", "-o", f"{folder}/m.onnx", "--function", "nosuch",
       says="its functions are: train, evaluate, predict", code=2)
refuse("a missing file of weights", "export", "mlp", "-o", f"{folder}/m.onnx", "--init", f"{folder}/nosuch",
       says="nosuch", code=1)
refuse("a missing folder", "export", "mlp", "-o", f"{folder}/nosuch/m.onnx", says="-o: cannot write", code=1)
refuse("one file twice", "export", "mlp", "-o", f"{folder}/m.onnx", "--json", f"{folder}/m.onnx",
       says="also written by another option", code=2)
expect(open(f"{folder}/m.onnx", "rb").read() == before, "an error leaves the file as it was")
# An imported model gets random samples, also if its input is called "image".
works("verify", f"{folder}/lenet.onnx", "--batch", 5, "--steps", 1, "--devices", "cpu:0,sim:0",
      "--strategy", "data(2)")
finish()
