# SPDX-License-Identifier: Apache-2.0
"""Tests the files of variables that --init reads: files of PyTorch with counters, with other element types,
with a beginning that all names share, and with a last layer of another size."""
import json

from harness import *  # noqa: F403
from safetensors_files import read_safetensors, tensors as bytes_of, write_arrays
import onnx_wheels  # noqa: F401, before numpy
import numpy as np

images = dataset("images")
small = ["--devices", "reference:0", "--batch", "16", "--data", images, "--no-evaluate", "--steps", "1"]


def read(path):
    """The tensors of a safetensors file of f32."""
    shapes = read_safetensors(path)[0]
    return {name: np.frombuffer(value, np.float32).reshape(shapes[name]["shape"]) for name,
            value in bytes_of(path).items()}


def write(name, arrays):
    """Writes a file of these arrays, and returns its path."""
    return write_arrays(f"{folder}/{name}.safetensors", arrays)


def loss(path, *arguments):
    """The loss of the first step from the variables of a file, and the notes."""
    done = run("train", "mlp", *small, "--init", path, *arguments, "--json", f"{folder}/r.json")
    expect(done.returncode == 0, f"--init {path} {' '.join(arguments)}", done)
    return json.load(open(f"{folder}/r.json"))["loss"][0] if done.returncode == 0 else None, done.stderr


done = run("train", "mlp", *small, "--save", f"{folder}/saved.safetensors")
expect(done.returncode == 0, "train", done)
plain = {name: value for name, value in read(f"{folder}/saved.safetensors").items() if "/" not in name}
want, _ = loss(write("plain", plain))
last = sorted(name for name in plain if len(plain[name].shape) == 1
              and plain[name].shape[0] == 10)[0].rsplit(".", 1)[0]

# A new run begins with a new optimizer, so its second step does not depend on the velocities in the file.
adam = ["--optimizer", "adam", "--learning-rate", "0.01", "--steps", "3"]
done = run("train", "mlp", *small[:-2], *adam, "--save", f"{folder}/with-states.safetensors")
with_states = read(f"{folder}/with-states.safetensors")
expect(any("/" in name for name in with_states), "the file has states", done)
losses = []
for name, tensors in (("states", with_states),
                      ("no-states", {k: v for k, v in with_states.items() if "/" not in k})):
    done = run("train", "mlp", *small[:-2], *adam, "--init", write(name, tensors),
               "--json", f"{folder}/r.json")
    losses.append(json.load(open(f"{folder}/r.json"))["loss"])
    expect(("states of an optimizer" in done.stderr) == (name == "states"),
           f"{name}: a note says what is left out", done)
    expect("states of the optimizer" not in done.stderr, f"{name}: no note says that states are missing",
           done)
expect(losses[0] == losses[1], f"states in the file of --init have no effect: {losses}")

counted, notes = loss(write("counted", {**plain, f"{last}.num_batches_tracked": np.array(7)}))
expect(counted == want and "1 counter of batch normalization" in notes,
       f"a counter is left out with a note: {notes}")
doubled, notes = loss(write("f64", {k: v.astype(np.float64) for k, v in plain.items()}))
expect(doubled == want and "from f64 to f32, which rounds" in notes, f"f64 is rounded with a note: {notes}")
halves = {k: v.astype(np.float16) for k, v in plain.items()}
half, notes = loss(write("f16", halves))
exact, _ = loss(write("f16 as f32", {k: v.astype(np.float32) for k, v in halves.items()}))
expect(half == exact and half != want and "from f16 to f32, which keeps" in notes,
       f"f16 is converted exactly with a note: {notes}")
for beginning in ("module.", "model.", "_orig_mod."):
    renamed, notes = loss(write("renamed", {beginning + k: v for k, v in plain.items()}))
    expect(renamed == want and f"all names begin with '{beginning}'" in notes,
           f"{beginning} is left out with a note: {notes}")

# Only variables of the model are missing, because --init reads no states of the optimizer.
_, notes = loss(write("partial", {k: v for k, v in plain.items() if not k.startswith(last + ".")}))
lines = [line.split("' ", 1)[1] for line in notes.splitlines() if "does not name" in line]
expect(lines == [f"does not name 2 of the variables of the model, such as '{last}.bias'; they keep their "
                 "initial values"], f"the note on what is missing: {lines}")

wide = write("wide", {k: np.zeros((1000, *v.shape[1:]), np.float32) if k.startswith(last + ".") else v for k,
                      v in plain.items()})
refuse("a last layer of another size", "train", "mlp", *small, "--init", wide,
       says=f"name '{last}' in --init-except", code=2)
_, notes = loss(wide, "--init-except", last)
expect(f"the exception '{last}' covers 2 variables of the model and 2 tensors of the file" in notes,
       f"the last layer keeps its initial values: {notes}")
fresh = run("train", "mlp", *small, "--save", f"{folder}/fresh.safetensors", "--learning-rate", "0")
run("train", "mlp", *small, "--save", f"{folder}/tuned.safetensors", "--learning-rate", "0", "--init", wide,
    "--init-except", last)
tuned, initial = read(f"{folder}/tuned.safetensors"), read(f"{folder}/fresh.safetensors")
for name, value in plain.items():
    expect((tuned[name] == (initial if name.startswith(last + ".") else plain)[name]).all(),
           f"{name} has the value of its source")
for command, output in (("compile", "cutset"), ("export", "onnx")):
    done = run(command, "mlp", "--batch", "16", "--init", wide, "--init-except", last, "-o",
               f"{folder}/m.{output}")
    expect(done.returncode == 0 and f"the exception '{last}' covers" in done.stderr,
           f"{command} has the option, too", done)

# Fine-tuning: the last layer is trained, or all but the last layer.
file = write("plain", plain)
for option, trains in (("--freeze-except", lambda name: name.startswith(last + ".")),
                       ("--freeze", lambda name: not name.startswith(last + "."))):
    done = run("train", "mlp", *small, "--init", file, option, last, "--save", f"{folder}/frozen.safetensors")
    expect(done.returncode == 0, f"{option} {last}", done)
    saved = read(f"{folder}/frozen.safetensors")
    for name, value in plain.items():
        expect((saved[name] != value).any() == trains(name), f"{option} {last}: {name}")
        expect((f"{name}/velocity" in saved) == trains(name), f"{option} {last}: the state of {name}")
for given in (["--freeze", last], ["--freeze-except", last], ["--init", file, "--init-except", last]):
    done = run("train", *given, "mlp", *small)
    expect(done.returncode == 0, f"the model may follow {' '.join(given)}", done)
refuse("a frozen variable that is not there", "train", "mlp", *small, "--freeze", f"{last},head",
       says="--freeze: 'head' names no trainable variable (give the name of one", code=2)
refuse("a frozen variable that is not there", "train", "mlp", *small, "--freeze", "head",
       says="; the names begin with 'fc1', 'fc2', 'fc3')", code=2)
open(f"{folder}/model.pt", "wb").write(b"PK\x03\x04" + bytes(60))
refuse("variables as torch.save() writes them", "train", "mlp", *small, "--init", f"{folder}/model.pt",
       says="it is a ZIP archive, as torch.save() writes it (save the variables with safetensors", code=1)
refuse("a model as torch.save() writes it", "train", f"{folder}/model.pt", says="/model.pt' is neither a "
       "built-in model nor an ONNX file, whose name ends in .onnx (export", code=2)
refuse("both options", "train", "mlp", *small, "--freeze", last, "--freeze-except", last,
       says="--freeze", code=2, hint=False)
refuse("a graph in which nothing is trained", "train", "mlp", *small,
       "--freeze", ",".join(sorted({name.rsplit(".", 1)[0] for name in plain})),
       says="no trainable variable; a variable is not trainable if it is frozen", code=2, hint=False)
refuse("an exception that fits nothing", "train", "mlp", *small, "--init", wide, "--init-except", "head",
       says="the exception 'head' fits no variable", code=2)
refuse("an exception without a file", "train", "mlp", *small, "--init-except", last, says="--init", code=2,
       hint=False)
refuse("a tensor that is no variable", "train", "mlp", *small,
       "--init", write("more", {**plain, "extra": np.zeros(3, np.float32)}),
       says="'extra', which is not a variable", code=2)
finish()
