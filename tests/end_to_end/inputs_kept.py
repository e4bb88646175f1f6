# SPDX-License-Identifier: Apache-2.0
"""Tests that no command replaces a file that it reads: each output that names one is refused before the work
begins, and the file stays as it was."""
import json

from harness import *  # noqa: F403
import onnx_wheels  # noqa: F401, before numpy and onnx
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rows = np.random.default_rng(1).normal(0, 1, (8, 16)).astype(np.float32)
for name, value in {"x": rows, "label": np.arange(8, dtype=np.int32) % 3, "y": rows, "test": rows,
                    "mask": np.ones(16, np.float32)}.items():
    np.save(f"{folder}/{name}.npy", value)


def save_model(name, **how):
    """Writes a model that multiplies its inputs 'x' and 'mask', and multiplies the product with two weights.
    A branch holds the second weight."""
    def tensor(name, seed):
        return numpy_helper.from_array(np.random.default_rng(seed).normal(0, 1, (16, 16)).astype(np.float32),
                                       name)
    branch = helper.make_graph([helper.make_node("Constant", [], ["c"], value=tensor("inner", 3))], "branch",
                               [], [helper.make_tensor_value_info("c", TensorProto.FLOAT, None)])
    nodes = [helper.make_node("Mul", ["x", "mask"], ["h"]), helper.make_node("MatMul", ["h", "w"], ["g"]),
             helper.make_node("If", ["yes"], ["d"], then_branch=branch, else_branch=branch),
             helper.make_node("MatMul", ["g", "d"], ["y"])]
    graph = helper.make_graph(nodes, "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 16]),
                               helper.make_tensor_value_info("mask", TensorProto.FLOAT, [16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [tensor("w", 2), numpy_helper.from_array(np.array(True), "yes")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, f"{folder}/{name}", **how)
    return f"{folder}/{name}"


path = save_model("m.onnx")
apart = save_model("apart.onnx", save_as_external_data=True, all_tensors_to_one_file=False, size_threshold=0,
                   convert_attribute=True)
weights = sorted(f for f in os.listdir(folder) if f in ("w", "inner", "yes"))
expect({"inner", "w"} <= set(weights),
       f"the weights of the graph and of its branch are in files of their own: {os.listdir(folder)}")
images = dataset("images")
os.makedirs(f"{folder}/elsewhere")
os.rename(f"{images}/t10k-labels-idx1-ubyte", f"{folder}/elsewhere/labels")
os.symlink(f"{folder}/elsewhere/labels", f"{images}/t10k-labels-idx1-ubyte")
os.makedirs(f"{folder}/photos/train/cat")
open(f"{folder}/photos/train/cat/1.JPG", "wb").write(b"a picture")
photos = ["train", "mlp", "--size", "channels=3", "--dataset", "image-folder", "--data", f"{folder}/photos",
          "--no-evaluate", "--batch", "1"]
open(f"{folder}/order.txt", "w").write("0\n1\n2\n3\n4\n5\n6\n7\n")
open(f"{folder}/m.csv", "w").write("id,lower,upper,size\n"
                                   + "".join(f"b{i},{i},{i + 9},64\n" for i in range(3)))
known = ["--known", f"mask={folder}/mask.npy", "--batch", "8"]
training = ["train", path, *known, "--loss", "cross_entropy", "--samples", f"x={folder}/x.npy",
            "--samples", f"label={folder}/label.npy", "--steps", "1"]
testing = ["--test-samples", f"x={folder}/test.npy", "--test-samples", f"label={folder}/label.npy"]
small = ["train", "mlp", "--devices", "reference:0", "--batch", "8", "--steps", "1", "--no-evaluate",
         "--data", images]


def works(*arguments):
    done = run(*arguments)
    expect(done.returncode == 0, f"{arguments} works", done)


works(*training, "--save", f"{folder}/w.safetensors")
works("plan", path, *known, "-o", f"{folder}/plan.txt")
works("compile", path, *known, "-o", f"{folder}/m.cutset")
os.symlink("x.npy", f"{folder}/link.npy")
shutil.copyfile(f"{folder}/w.safetensors", f"{folder}/run.1.safetensors")
before = {name: open(f"{folder}/{name}", "rb").read() for name in sorted(os.listdir(folder))
          if os.path.isfile(f"{folder}/{name}")}
images_before = {name: open(f"{images}/{name}", "rb").read() for name in os.listdir(images)}

for what, arguments in [
        ("the model", [*training, "--save", path]),
        ("the model", ["export", path, *known, "-o", path]),
        ("--samples", [*training, "--save", f"{folder}/x.npy"]),
        ("--samples", [*training, "--json", f"{folder}/label.npy"]),
        ("--samples", [*training, "--trace", f"{folder}/link.npy"]),
        ("--samples", ["verify", *training[1:-2], "--steps", "1", "--json", f"{folder}/x.npy"]),
        ("--test-samples", [*training, *testing, "--dot", f"{folder}/test.npy"]),
        ("--known", [*training, "--json", f"{folder}/mask.npy"]),
        ("--known", ["dump", path, *known, "-o", f"{folder}/mask.npy"]),
        ("--init", [*training, "--init", f"{folder}/w.safetensors", "--save", f"{folder}/w.safetensors"]),
        ("--init", ["compile", path, *known, "--init", f"{folder}/w.safetensors", "-o",
                    f"{folder}/w.safetensors"]),
        ("--resume", [*training[:-1], "2", "--resume", f"{folder}/w.safetensors",
                      "--json", f"{folder}/w.safetensors"]),
        ("--order", [*small, "--order", f"{folder}/order.txt", "--json", f"{folder}/order.txt"]),
        ("--data", [*small, "--save", f"{images}/train-images-idx3-ubyte"]),
        ("--data", [*small, "--save", f"{images}/t10k-labels-idx1-ubyte"]),
        ("--data", [*photos, "--save", f"{folder}/photos/train/cat/1.JPG"]),
        ("--resume", [*training, "--devices", "cpu:0", "--devices", "reference:0",
                      "--resume", f"{folder}/run.1.safetensors", "--save", f"{folder}/run.safetensors"]),
        ("--plan", ["plan", path, *known, "--plan", f"{folder}/plan.txt", "-o", f"{folder}/plan.txt"]),
        ("--plan", ["plan", path, *known, "--plan", f"{folder}/plan.txt", "--dump-dir", folder]),
        ("--device-file", ["explain", path, *known, "--device-file", f"{folder}/m.csv",
                           "--json", f"{folder}/m.csv"]),
        ("--input", ["run", path, *known, "--input", f"x={folder}/x.npy", "--trace", f"{folder}/x.npy"]),
        ("--input", ["run", f"{folder}/m.cutset", "--input", f"x={folder}/y.npy", "--output-dir", folder]),
        ("the model", ["run", f"{folder}/m.cutset", "--input", f"x={folder}/y.npy",
                       "--json", f"{folder}/m.cutset"]),
        ("the program", ["benchmark", f"{folder}/m.cutset", "--json", f"{folder}/m.cutset"]),
        ("the instance", ["solve", "memory", f"{folder}/m.csv", "--out", f"{folder}/m.csv"]),
        *[("the weights of the model", [*command, f"{folder}/{file}"]) for file in weights
          for command in (["export", apart, *known, "-o"], ["train", apart, *training[2:], "--save"])]]:
    refuse(f"{arguments[0]} {arguments[-2]} names {what}", *arguments, says=f"{arguments[-2]}: '", code=2)
    refuse(f"{arguments[0]} {arguments[-2]} names {what}", *arguments, says="' is a file that the command "
           f"reads: {what} (give a file or a folder whose files may be replaced)", code=2)
    for name, contents in before.items():
        expect(open(f"{folder}/{name}", "rb").read() == contents,
               f"{arguments[0]} {arguments[-2]} leaves {name} as it was")
for name, contents in images_before.items():
    expect(open(f"{images}/{name}", "rb").read() == contents, f"{name} stays as it was")

# Files that the command does not read may be replaced: those beside its inputs, a file of an earlier run, and
# the checkpoint of the run itself.
for _ in range(2):
    works(*training, "--save", f"{folder}/again.safetensors", "--json", f"{images}/report.json",
          "--dot", f"{folder}/g.dot")
    works(*small, "--save", f"{images}/weights.safetensors")
    works(*small, "--save", f"{images}/weights.bin")  # the data set has no such file
    works("train", "mlp", "--devices", "reference:0", "--batch", "8", "--steps", "1", "--dataset", "random",
          "--save", f"{folder}/weights.bin")
    works(*small, "--dot", f"{folder}/runs", "--devices", "sim:0")  # each run has a drawing of its own
works(*training[:-1], "2", "--resume", f"{folder}/w.safetensors", "--save", f"{folder}/w.safetensors")
expect(json.load(open(f"{images}/report.json"))["steps"] == 1, "the report is complete")

# Two names of one file are noticed, also if it does not exist.
refuse("two names of one file", *training, "--save", f"{folder}/both",
       "--json", f"{folder}/elsewhere/../both", says="/both' is also written by another option", code=2)
done = subprocess.run([cutset, *training, "--save", "both", "--json", f"{folder}/both"], capture_output=True,
                      text=True, cwd=folder, env=environment)
expect(done.returncode == 2 and "is also written by another option" in done.stderr
       and not os.path.exists(f"{folder}/both"), "a relative name of the same file is noticed", done)
plugin = f"{folder}/libcutset_device_reference.so"
shutil.copyfile(f"{build}/lib/libcutset_device_reference.so", plugin)
done = subprocess.run([f"{build}/bin/cutset-conformance", "--plugin", plugin, "--op", "relu",
                       "--json", plugin], capture_output=True, text=True, env=environment)
expect(done.returncode == 1 and "is a file that the command reads: --plugin" in done.stderr
       and open(plugin, "rb").read() == open(f"{build}/lib/libcutset_device_reference.so", "rb").read(),
       "a plugin is kept", done)

# The drawing is written as a whole or not at all, and two options do not write the same drawing.
refuse("two drawings", *training, "--dot", f"{folder}/g.dot", "--json", f"{folder}/g.svg",
       says="g.svg' is also written by another option", code=2)
if shutil.which("dot"):
    drawn = open(f"{folder}/g.svg", "rb").read()
    expect(drawn.rstrip().endswith(b"</svg>"), "the drawing is complete")
    done = run("dump", path, *known, "--dot", f"{folder}/g.dot", "-o", "/dev/null",
               LD_PRELOAD=f"{build}/lib/libcutset_fail_call.so", FAIL_CALL="write", FAIL_NTH="1",
               FAIL_PATH=f"{folder}/g.svg", FAIL_WITH="28")
    expect(done.returncode == 1 and "g.svg" in done.stderr, "a drawing that cannot be written is an error",
           done)
    expect(open(f"{folder}/g.svg", "rb").read() == drawn, "the drawing stays as it was")
    done = run("dump", path, *known, "--dot", "/dev/null", "-o", "/dev/null")
    expect(done.returncode == 0 and not done.stderr, "a drawing to a device has no file beside it", done)
finish()
