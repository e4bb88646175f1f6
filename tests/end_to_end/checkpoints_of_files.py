# SPDX-License-Identifier: Apache-2.0
"""Tests training and its checkpoints on samples from files: which files continue a run, which labels are
refused, and what an evaluation says."""
import json
import struct

from harness import *  # noqa: F403
from safetensors_files import changed_notes, read_safetensors, tensors, write_safetensors
import onnx_wheels  # noqa: F401, before numpy
import numpy as np


def train(*arguments, json_file=f"{folder}/result.json"):
    done = run("train", *arguments, "--json", json_file)
    expect(done.returncode == 0, f"train {' '.join(arguments)} works", done)
    return json.load(open(json_file))


# The perplexity of a language model is exp(loss). The labels of the samples of files are evaluated, too.
np.save(f"{folder}/token.npy", np.arange(60, dtype=np.int32).reshape(10, 6) % 7)
np.save(f"{folder}/next.npy", np.arange(1, 61, dtype=np.int32).reshape(10, 6) % 7)
np.save(f"{folder}/late.npy", np.arange(1, 61, dtype=np.int32).reshape(10, 6))
np.save(f"{folder}/wide.npy", np.arange(60).reshape(10, 6) % 7)
arrays = [f"token={folder}/token.npy", f"label={folder}/next.npy"]
words = train("lstm", "--size", "sequence_length=6", "--size", "vocabulary=7", "--size", "width=8",
              "--batch", "4", "--epochs", "2", "--learning-rate", "0", "--samples", arrays[0],
              "--samples", arrays[1],
              "--test-samples", arrays[0], "--test-samples", arrays[1])["evaluations"][-1]
expect(abs(words["perplexity"] - np.exp(words["loss"])) < 1e-9 and 5 < words["perplexity"] < 10,
       f"the perplexity of an untrained model is about that of chance: {words}")

# An element that is -inf from the beginning, as in the mask of an attention, is saved. Here no sample has the
# token of its row.
lstm = ["lstm", "--size", "sequence_length=6", "--size", "vocabulary=8", "--size", "width=8", "--batch", "4",
        "--samples", arrays[0], "--samples", arrays[1], "--learning-rate", "0.1"]
train(*lstm, "--steps", "1", "--save", f"{folder}/finite.safetensors")
header, elements = read_safetensors(f"{folder}/finite.safetensors")
at = header["embedding.weight"]["data_offsets"][1] - 4  # the last element of the row of token 7
del header["__metadata__"]["cutset.checksum"]
write_safetensors(f"{folder}/masked.safetensors", header, elements[:at] + struct.pack("<f", -np.inf)
                  + elements[at + 4 :])
masked = train(*lstm, "--steps", "5", "--init", f"{folder}/masked.safetensors",
               "--checkpoint-dir", f"{folder}/masked", "--save", f"{folder}/masked-5.safetensors",
               "--checkpoint-every", "2")
expect(len(masked["loss"]) == 5 and np.isfinite(masked["loss"]).all(),
       "a run with -inf in a row that is not read")
end = tensors(f"{folder}/masked-5.safetensors")
expect(np.frombuffer(end["embedding.weight"], np.float32)[-1] == -np.inf
       and np.isfinite(np.frombuffer(end["embedding.weight"], np.float32)[:-1]).all(),
       "-inf is saved as it was")
train(*lstm, "--steps", "5", "--resume", f"{folder}/masked/step-4.safetensors",
      "--save", f"{folder}/masked-again.safetensors")
expect(tensors(f"{folder}/masked-again.safetensors") == end, "it continues with the same bits")

# An array in Fortran order has the same samples.
np.save(f"{folder}/fortran.npy", np.asfortranarray(np.load(f"{folder}/token.npy")))
plain = ["lstm", "--size", "sequence_length=6", "--size", "vocabulary=7", "--size", "width=8", "--batch", "4",
         "--samples", arrays[1]]
losses = [train(*plain, "--samples", f"token={folder}/{name}.npy")["loss"] for name in ("token", "fortran")]
expect(losses[0] == losses[1], f"an array in Fortran order is read: {losses}")

# Labels and tokens that the model cannot have are found when they are read, and a sample is named by its
# number in the file.
for name, file, value, lowest in (("token", "token", 7, -7), ("token", "token", -8, -7),
                                  ("label", "next", 12, 0), ("label", "next", -1, 0)):
    changed = np.load(f"{folder}/{file}.npy")
    changed[8, 3] = value
    np.save(f"{folder}/changed.npy", changed)
    given = {"token": f"{folder}/token.npy", "label": f"{folder}/next.npy"}
    sequences = ["lstm", "--size", "sequence_length=6", "--size", "vocabulary=7", "--size", "width=8",
                 "--batch", "4"]
    good = [a for n, f in given.items() for a in ("--samples", f"{n}={f}")]
    bad = [a for n, f in {**given, name: f"{folder}/changed.npy"}.items() for a in ("--samples", f"{n}={f}")]
    says = f"sample 8 has {value} in '{name}', and the model takes numbers from {lowest} to 6 there"
    refuse(f"a {name} of {value}", "train", *sequences, *bad, says=says, code=1)
    refuse(f"a {name} of {value} in an evaluation", "train", *sequences, "--epochs", "1", *good,
           *[a.replace("--samples", "--test-samples") for a in bad], says=says, code=1)

# A run is not continued with other data files, or with another learning rate. Files in another place are the
# same data files if they have the same samples.
first_arrays = [a for n, f in (("token", "token"), ("label", "next"))
                for a in ("--samples", f"{n}={folder}/moved-{f}.npy")]
for file in ("token", "next"):
    np.save(f"{folder}/moved-{file}.npy", np.load(f"{folder}/{file}.npy"))
begun = ["lstm", "--size", "sequence_length=6", "--size", "vocabulary=7", "--size", "width=8", "--batch", "4",
         "--steps", "6", "--learning-rate", "0.1"]
train(*begun, *first_arrays, "--save", f"{folder}/begun.safetensors", "--lr-schedule", "step",
      "--lr-step-size", "5")
continued = [*begun, "--steps", "9", "--resume", f"{folder}/begun.safetensors", "--lr-schedule", "step",
             "--lr-step-size", "5"]
continued.remove("6"), continued.remove("--steps")
expect(train(*continued, *[a.replace("moved-", "") for a in first_arrays])["first_step"] == 6,
       "files with the same samples continue the run")
was = "was made with the learning rate 0.1, times 0.1 every 5 steps, and this run has "
for what, says, arguments in [
        ("another rate", was + "0.2, times 0.1 every 5 steps (give the learning-rate options of the first "
                               "run, or begin", [a if a != "0.1" else "0.2" for a in continued]),
        ("another step size", was + "0.1, times 0.1 every 7 steps",
         [a if a != "5" else "7" for a in continued]),
        ("another decay", was + "0.1, times 0.5 every 5 steps", [*continued, "--lr-decay", "0.5"]),
        ("a warm-up", was + "0.1 after 2 warm-up steps, times", [*continued, "--warmup-steps", "2"]),
        ("another momentum", "was made with the optimizer sgd, momentum 0.9, and this run has sgd, momentum "
                             "0.5 (give --optimizer, --momentum and --weight-decay as in",
         [*continued, "--momentum", "0.5"]),
        ("a weight decay", "and this run has sgd, momentum 0.9, dampening 0, weight_decay 0.1",
         [*continued, "--weight-decay", "0.1"]),
        ("other frozen variables",
         "was made with frozen variables: none, and this run has all but 'embedding' (give --freeze or "
         "--freeze-except as in", [*continued, "--freeze-except", "embedding"]),
        ("another schedule", was + "0.1, cosine to 0 in step 9",
         [*continued[:-4], "--lr-schedule", "cosine"])]:
    refuse(what, "train", *arguments, *first_arrays, says=says, code=2)
whole_file = np.load(f"{folder}/moved-next.npy")
for row in (0, 5, 9):  # one label of a sample
    np.save(f"{folder}/moved-next.npy",
            np.where((np.arange(10) == row)[:, None] & (np.arange(6) == 2), (whole_file + 1) % 7,
                     whole_file).astype(np.int32))
    refuse(f"a file with another sample {row}", "train", *continued, *first_arrays,
           says="was made with data files of 10 samples with the hash ", code=2)
np.save(f"{folder}/moved-next.npy", whole_file)
expect(train(*continued, *first_arrays)["first_step"] == 6, "the first files continue the run again")

# The rates of a cosine or linear schedule depend on the last step, so the run must have the same number of
# steps as the first run.
for schedule in ("cosine", "linear"):
    train(*begun, *first_arrays, "--save", f"{folder}/{schedule}.safetensors", "--lr-schedule", schedule)
    refuse(f"{schedule} with more steps", "train", *["9" if a == "6" else a for a in begun], *first_arrays,
           "--resume", f"{folder}/{schedule}.safetensors", "--lr-schedule", schedule,
           says=f"0.1, {schedule} to 0 in step 6, and this run has 0.1, {schedule} to 0 in step 9 (give the "
                "learning-rate options of the first run, with --steps or --epochs, because", code=2)


def without_notes(path, *names):
    """A copy of a checkpoint without these notes, as an older version has written it."""
    return changed_notes(path, f"{folder}/older.safetensors", checksum=False, **dict.fromkeys(names))


resumed = [*continued[:continued.index("--resume")], *continued[continued.index("--resume") + 2 :],
           *first_arrays, "--resume"]
for names in (["train.first_step"], ["train.all_samples", "train.first_step"],
              ["train.learning_rate", "train.optimizer", "train.loss"],
              ["train.learning_rate", "train.optimizer", "train.loss"], ["train.optimizer", "train.loss"],
              ["train.loss"], ["train.frozen"], ["train.network"]):
    older = without_notes(f"{folder}/begun.safetensors", *names)
    refuse(f"a checkpoint without {names}", "train", *resumed, older, code=1,
           says=f"was written by an older version of cutset, whose checkpoints have no note '{names[0]}', so "
                "training cannot be resumed from it (begin a new run with the variables of the file by "
                "--init)")
expect(train(*resumed[:-1], "--init", older)["first_step"] == 0,
       "--init reads the checkpoint of an older version")
every = [f"train.{note}" for note in ("epoch", "batches", "batch", "samples", "seed", "source", "all_samples",
                                      "first_step", "learning_rate", "optimizer", "loss", "frozen",
                                      "network")]
refuse("variables without a position", "train", *resumed,
       without_notes(f"{folder}/begun.safetensors", *every), says="has no position in the samples", code=1)

# Data sets of files.
text = f"{folder}/text.txt"
open(text, "w").write("the cat sat on the mat and the dog sat on the cat\n" * 20)
other = f"{folder}/other.txt"
open(other, "w").write("the dog sat on the mat and the unicorn sat on the cat\n" * 20)
small = ["lstm", "--size", "sequence_length=5", "--size", "width=16", "--batch", "8", "--data", text,
         "--test-data", other, "--optimizer", "adam", "--learning-rate", "0.02", "--epochs", "12"]
for name, vocabulary in (("text", 9), ("bytes", 256)):
    learned = train(*small, "--dataset", name, "--size", f"vocabulary={vocabulary}")["evaluations"]
    expect(learned[-1]["perplexity"] < 0.7 * learned[0]["perplexity"],
           f"{name}: the perplexity falls: {learned[0]} {learned[-1]}")
    same = train(*[text if a == other else a for a in small], "--dataset", name,
                 "--size", f"vocabulary={vocabulary}")["evaluations"]
    expect(same[-1]["loss"] < learned[-1]["loss"] - 0.01,
           f"{name}: the test text has a word that the training text does not have: {same[-1]} {learned[-1]}")
    expect(("top5" in learned[0]) == (vocabulary > 10), "top-5 needs more than ten classes")
# A note says how many words of the samples are not in the vocabulary. Entry 0 of the vocabulary stands for
# these words.
for vocabulary, training, evaluation in ((9, False, True), (4, True, True)):
    said = run("train", *small, "--dataset", "text", "--size", f"vocabulary={vocabulary}",
               "--steps", "1").stderr
    kept = sorted({*open(text).read().split()},
                  key=lambda word: (-open(text).read().split().count(word), word))[: vocabulary - 1]
    for what, file, noted in (("training", text, training), ("the evaluation", other, evaluation)):
        words = open(file).read().split()
        words = words[: (len(words) - 1) // 5 * 5]
        unknown = sum(word not in kept for word in words)
        note = (f"note: {unknown} of the {len(words)} words for {what} ({100 * unknown / len(words):.1f} %) "
                "are not in the vocabulary; token 0 stands for them")
        expect((unknown > 0) == noted == (note in said), f"a vocabulary of {vocabulary} words: {note} {said}")
expect("note:" not in run("train", *small, "--dataset", "text", "--size", "vocabulary=4", "--steps", "1",
                          "--quiet").stderr, "--quiet prints no note on words")
expect("note:" not in run("train", *small, "--dataset", "bytes", "--size", "vocabulary=256",
                          "--steps", "1").stderr, "all bytes are tokens")
ids = f"{folder}/ids.txt"
open(ids, "w").write("".join(f"{i % 11} {' '.join(str((i + j) % 13) for j in range(i % 4))}\n"
                             for i in range(60)))
train("youtube", "--size", "vocabulary=13", "--size", "history=3", "--size", "width=4",
      "--size", "classes=11", "--batch", "6", "--dataset", "id-table", "--data", ids, "--steps", "4")
# Padding does not count: a sample with one id has the same mean, with the same bits, as a sample with this id
# twice.
recommender = ["youtube", "--size", "vocabulary=13", "--size", "history=2", "--size", "width=4",
               "--size", "classes=11", "--batch", "6", "--dataset", "id-table", "--steps", "4"]
for times in (1, 2):
    open(f"{folder}/times-{times}.txt",
         "w").write("".join(f"{i % 11}{f' {i % 13}' * times}\n" for i in range(60)))
once, twice = (train(*recommender, "--data", f"{folder}/times-{times}.txt")["loss"] for times in (1, 2))
expect(once == twice and len(set(once)) == 4, f"padding does not count: {once} {twice}")
expect(train(*recommender, "--data", f"{folder}/times-1.txt", "--padding-id", "-1")["loss"] == once,
       "the padding of the model may be given")
os.makedirs(f"{folder}/cifar")
# the left half of an image is as bright as its class
for file in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    half = {label: bytes(20 * label if i % 32 < 16 else 10 for i in range(3072)) for label in (2, 8)}
    open(f"{folder}/cifar/{file}.bin",
         "wb").write(b"".join(bytes([label]) + half[label]
                              for label in ((2, 8) if file != "test_batch" else (8, 8))) * 5000)
cifar = ["mlp", "--size", "channels=3", "--size", "image_size=32", "--dataset", "cifar10",
         "--data", f"{folder}/cifar", "--batch", "500", "--steps", "12", "--mean", "0.2,0.2,0.2",
         "--std", "0.1,0.1,0.1"]
train(*cifar, "--no-evaluate", "--save", f"{folder}/cifar.safetensors")
runs = [train(*cifar, *more) for more in ([], ["--random-crop", "8"], ["--random-flip"])]
expect(len({tuple(r["loss"]) for r in runs}) == 3, "crops and flips change the images for training")
expect(runs[0]["evaluations"][0]["top1"] == 1, "the classes are learned from normalized images")
raw = train(*cifar[:-4], "--init", f"{folder}/cifar.safetensors",
            "--learning-rate", "0")["evaluations"][0]["loss"]
normalized = train(*cifar, "--init", f"{folder}/cifar.safetensors",
                   "--learning-rate", "0")["evaluations"][0]["loss"]
expect(normalized < 0.5 * raw, f"the samples for evaluation are normalized: {normalized} {raw}")

for what, says, code, *arguments in [
        ("arrays beside a data set", "--samples replaces --dataset", 2, "lstm", "--samples", arrays[0],
         "--dataset", "text"),
        ("a file for tests that is not used", "--test-data is for", 2, "mlp", "--test-data", text),
        ("a padding that the model takes for an id",
         "--padding-id is 0, and the model takes -1 in 'history' for padding", 2, *recommender,
         "--data", f"{folder}/times-1.txt", "--padding-id", "0"),
        ("a label for tests that is out of range",
         "in the samples for evaluation, sample 9 has 60 in 'label', and the model takes numbers from 0 to "
         "59 there", 1, "lstm", "--size", "sequence_length=6", "--size",
         "vocabulary=60", "--size", "width=8", "--batch", "5", "--samples", arrays[0], "--samples", arrays[1],
         "--test-samples", arrays[0], "--test-samples", f"label={folder}/late.npy"),
        ("tests without labels", "the samples for evaluation have no 'label'", 2, "lstm",
         "--size", "sequence_length=6", "--size", "vocabulary=7", "--batch", "4", "--samples", arrays[0],
         "--samples",
         arrays[1], "--test-samples", arrays[0]),
        ("samples of another size", "a sample of 'image' is 1x1x28x28xf32, and the model reads 1x3x32x32xf32",
         2, "resnet18", "--size", "image_size=32", "--dataset", "fashion-mnist", "--data",
         dataset("small")),
        ("a data set without files", "--dataset cifar10 needs a folder or file", 2, "resnet18",
         "--dataset", "cifar10"),
        ("samples of other inputs", "--dataset bytes has 'token' (tokens)", 2, "mlp", "--dataset", "bytes",
         "--data", text),
        ("labels of another type", "convert the array, with numpy: x.astype('int32')", 2, "lstm",
         "--size", "sequence_length=6", "--size", "vocabulary=7", "--batch", "4", "--samples", arrays[0],
         "--samples", f"label={folder}/wide.npy"),
        ("a mean without a deviation", "deviation", 2, *cifar[:-2])]:
    refuse(what, "train", *arguments, says=says, code=code, hint=False)
finish()
