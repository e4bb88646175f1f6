#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the options of `cutset`. An option that a command does not use is refused. All commands compile the
same program. No input file blocks a command, and names from files are escaped on the terminal. A standard
output that cannot be written is an error."""
import json
import os
import re
import resource
import struct
import zlib

from harness import *

good = dataset("good")
small = ["--devices", "reference:0", "--batch", "32", "--data", good]

# --- options that a command does not use
model = ["mlp", "--devices", "reference:0"]
for command, *unused in (("compile", "--json", "--dot", "--log", "--dot-level", "--data"),
                         ("dump", "--json", "--data", "--save"), ("verify", "--dot", "--log", "--dot-level",
                                                                  "--save"), ("explain", "--dot", "--log",
                                                                          "--data")):
    for option in unused:
        extra = ["-o", f"{folder}/x"] if command == "compile" else []
        refuse(f"{command} {option}", command, *model, *extra, option, "place", says=option, code=2)
for command, *extra in (("compile", "-o", f"{folder}/x"), ("dump",), ("plan",), ("explain",)):
    refuse(f"{command} with a second --devices", command, *model, *extra, "--devices", "sim:0",
           says=f"--devices is given twice (see cutset {command} --help)", code=2)
refuse("an option that is given three times", "compile", *model, "-o", f"{folder}/x", "--seed", "1",
       "--seed", "2", "--seed", "3", says="--seed is given 3 times (see cutset compile --help)", code=2)
expect(not os.path.exists(f"{folder}/x"), "a refused command writes nothing")
for option, value in (("--seed", "18446744073709551616"), ("--seed", "-1"), ("--seed", "1.5"),
                      ("--simulation-seed", "-1"), ("--learning-rate", "nan"), ("--learning-rate", "inf"),
                      ("--learning-rate", "-0.1"), ("--momentum", "nan"),
                      ("--momentum", "inf"), ("--dot", "x.svg"), ("--save-every", "0"),
                      ("--devices", "reference:00"), ("--devices", "reference:0,reference:00"),
                      ("--devices", "reference:0,"),
                      ("--learning-rate", "1e-400"), ("--learning-rate", "0x10"),
                      ("--learning-rate", "1e400"), ("--learning-rate", "0.1 "), ("--learning-rate", "")):
    refuse(f"{option} {value}", "train", "mlp", *(small[2:] if option == "--devices" else small), option,
           value, says=value.split(",")[-1], code=2)
refuse("--save-every without --save", "train", "mlp", *small, "--save-every", "3", says="--save", code=2)
open(f"{folder}/m.csv", "w").write("id,lower,upper,size\na,0,3,4\nb,3,9,4\n")
for option, value in (("--capacity", "-1"), ("--seconds", "nan"), ("--seconds", "inf"),
                      ("--capacity", "18446744073709551616")):
    refuse(f"solve {option} {value}", "solve", "memory", f"{folder}/m.csv", option, value, says=value, code=2)
for name, text, says in (("a misspelt device", '{"refrence:0": {"threads": 1}}', "refrence"),
                         ("half a thread", '{"reference:0": {"threads": 0.5}}', "whole number"),
                         ("a name of no device", '{"cpu": {"threads": 1}}', "'cpu'"),
                         ("a member twice", '{"sim:0": {"threads": 1, "threads": 2}}', "twice")):
    open(f"{folder}/devices.json", "w").write(text)
    refuse(f"device file: {name}", "train", "mlp", *small, "--device-file", f"{folder}/devices.json",
           says=says, code=1, hint=False)

# --- all commands compile the same program
programs = {}
for command, *extra in (("train", "--data", good, "--steps", "1", "--no-evaluate"),
                        ("compile", "-o", f"{folder}/p.cutset"), ("dump", "-o", f"{folder}/p.mlir"),
                        ("plan", "-o", f"{folder}/p.plan"), ("explain", "--json", f"{folder}/p.json")):
    for rate in ((), ("--learning-rate", "0.25", "--momentum", "0.5")):
        at = f"{folder}/dump-{command}-{len(rate)}"
        done = run(command, *model, "--batch", "32", *rate, *extra, "--dump-dir", at)
        expect(done.returncode == 0, f"{command} with a dump", done)
        programs.setdefault(len(rate), {})[command] = {name: open(f"{at}/{name}").read()
                                                       for name in os.listdir(at) if name.endswith(".mlir")}
for rate, texts in programs.items():
    for command, text in texts.items():
        # `plan` and `explain` stop after the placement. After every phase that a command reaches, its program
        # must equal the program of `train`.
        expect("04-place.mlir" in text and text.items() <= texts["train"].items(),
               f"{command} compiles what train trains ({rate} options)")
expect(programs[0]["train"] != programs[4]["train"], "the program depends on --momentum")

# --- a name from a file with a NUL does not end the message
open(f"{folder}/ids", "w").write("1 2 3\0004 5\n" * 3)
refuse("an id table with a NUL", "train", "youtube", "--size", "vocabulary=100", "--size", "history=4",
       "--size", "width=8", "--size", "classes=100", "--batch", "1", "--steps", "1", "--no-evaluate",
       "--dataset", "id-table", "--data", f"{folder}/ids", says="3\\x004", code=1)
for name, text, says in (("a member", '{"cpu:0": {"a\\u0000b": 1}}', "a\\x00b"),
                         ("a device", '{"c\\u0000pu:0": {"threads": 1}}', "c\\x00pu:0")):
    open(f"{folder}/nul.json", "w").write(text)
    refuse(f"a device file with a NUL in {name}", "train", "mlp", *small,
           "--device-file", f"{folder}/nul.json", says=says, code=1, hint=False)
open(f"{folder}/bom.plan", "w", encoding="utf-8-sig").write("cutset plan 1\n")
refuse("a plan with a byte order mark", "train", "mlp", *small, "--plan", f"{folder}/bom.plan",
       says="bom.plan:1:1: the text begins with a byte order mark", code=1, hint=False)

# --- a model that does not fit is refused before its memory is taken
large = ["transformer", "--size", "sequence_length=100000", "--batch", "1"]
for command, *extra in (("train", "--dataset", "random", "--steps", "1", "--no-evaluate"),
                        ("verify", "--steps", "1")):
    refuse(f"{command} of a model that does not fit", command, *large, *extra,
           says="bytes of this machine's memory, which has", code=1,
           preexec=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)))

refuse("compile of variables that do not fit", "compile", "lstm", "--size", "vocabulary=1000000",
       "--size", "width=100000", "-o", f"{folder}/large.cutset",
       says="the initial values of the variables take", code=1)

# --- a folder of images has no more classes than the model
for label in range(12):
    os.makedirs(f"{folder}/photos/train/{label}")
    open(f"{folder}/photos/train/{label}/1.png", "w").write("no image is read before")
refuse("a folder with too many classes", "train", "resnet18", "--size", "image_size=32",
       "--size", "classes=10", "--dataset", "image-folder", "--data", f"{folder}/photos", "--batch", "2",
       "--steps", "1", "--no-evaluate", says="has 12 classes, and the model has 10 (give the model as many "
                                             "classes, with --size classes=12", code=2)

# --- libraries that would end or block the process
os.mkfifo(f"{folder}/pipe.so")
whole = open(f"{build}/lib/libcutset_device_reference.so", "rb").read()
open(f"{folder}/part.so", "wb").write(whole[: len(whole) // 3])
for file, says in (("pipe.so", "is neither regular nor a folder"),
                   ("part.so", "is shorter than its header says")):
    refuse(f"an op library that is {file}", "train", "mlp", *small, says=says, code=1,
           CUTSET_OP_LIBRARIES=f"{folder}/{file}")

# --- optimizers
either = [run("train", "mlp", *small, "--steps", "2", "--no-evaluate", "--optimizer", name,
              "--learning-rate", rate, "--lr-schedule", schedule, "--json", "-")
          for name, rate, schedule in (("adam", "0.01", "cosine"), ("Adam", "+1e-2", "Cosine"))]
expect(either[0].returncode == 0
       and json.loads(either[0].stdout)["loss"] == json.loads(either[1].stdout or "{}").get("loss"),
       "names of optimizers and schedules may have capitals", either[1])
refuse("an optimizer that does not exist", "train", "mlp", *small, "--optimizer", "magic", says="magic",
       code=2)
refuse("a momentum of Adam", "train", "mlp", *small, "--optimizer", "adam", "--momentum", "0.5",
       says="has no momentum", code=2)
trained = {}
names = re.search(r"--optimizer NAME +(.*) \[sgd\]",
                  re.sub(r"\n {32}", " ", run("train", "--help").stdout)).group(1).split(", ")
expect(len(names) >= 6 and "adamw" in names, f"--help lists the optimizers: {names}")
for name in names:
    for rate in ("0.001", "0.01"):
        done = run("train", "mlp", *small, "--steps", "3", "--no-evaluate", "--optimizer", name,
                   "--learning-rate", rate, "--json", "-")
        expect(done.returncode == 0, f"training with {name}", done)
        trained[name, rate] = tuple(json.loads(done.stdout)["loss"])
    for decay in ("0", "0.5"):
        done = run("train", "mlp", *small, "--steps", "3", "--no-evaluate", "--optimizer", name,
                   "--learning-rate", "0.01", "--weight-decay", decay, "--json", "-")
        expect(done.returncode == 0, f"training with {name} and a weight decay", done)
        trained[name, decay] = tuple(json.loads(done.stdout)["loss"])
    by_default = {"adamw": "0.01", "lamb": "0.01"}.get(name, "0")
    done = run("train", "mlp", *small, "--steps", "3", "--no-evaluate", "--optimizer", name,
               "--learning-rate", "0.01", "--weight-decay", by_default, "--json", "-")
    expect(tuple(json.loads(done.stdout)["loss"]) == trained[name, "0.01"],
           f"the default weight decay of {name} is {by_default}")
    if by_default == "0":
        expect(trained.pop((name, "0")) == trained[name, "0.01"], f"{name} has no weight decay by default")
expect(trained.pop(("adamw", "0")) == trained["adam", "0.01"], "AdamW without weight decay is Adam")
expect(len(set(trained.values())) == len(trained),
       "each optimizer, each rate and each weight decay trains in its own way")
for value in ("-0.1", "nan"):
    refuse(f"a weight decay of {value}", "train", "mlp", *small, "--optimizer", "adamw",
           "--weight-decay", value, says=value, code=2)

# --- schedules of the learning rate
refuse("a schedule that does not exist", "train", "mlp", *small, "--lr-schedule", "magic",
       says="--lr-schedule: 'magic' is not one of constant, step, cosine, linear (see cutset train --help)",
       code=2)
refuse("a step schedule without a step size", "train", "mlp", *small, "--lr-schedule", "step",
       says="(give --lr-step-size N)", code=2)
refuse("a warm-up that leaves no step", "train", "mlp", *small, "--lr-schedule", "linear", "--steps", "2",
       "--warmup-steps", "2", says="a run of 2 steps with --warmup-steps 2 leaves --lr-schedule linear no "
                                   "step", code=2)
for schedule, unused in (("constant", "--lr-step-size"), ("cosine", "--lr-step-size"),
                         ("linear", "--lr-decay"), ("constant", "--lr-decay"), ("constant", "--lr-final"),
                         ("step", "--lr-final")):
    refuse(f"{unused} of the schedule {schedule}", "train", "mlp", *small, "--lr-schedule", schedule,
           unused, "1", says=f", and the schedule is {schedule} (give", code=2)
for steps, noted in (("2", True), ("3", False)):
    done = run("train", "mlp", *small, "--steps", steps, "--warmup-steps", "3", "--no-evaluate")
    expect(done.returncode == 0 and ("note: the warm-up has 3 steps, and the run has 2" in done.stderr)
           == noted, f"a note says if the run of {steps} steps ends in the warm-up", done)


def losses(*options):
    return json.loads(run("train", "mlp", *small, "--steps", "4", "--no-evaluate", "--momentum", "0",
                          "--json", "-", *options).stdout)["loss"]


plain = losses("--learning-rate", "0.2")
expect(losses("--learning-rate", "0.2", "--lr-schedule", "step", "--lr-step-size", "100") == plain,
       "a schedule that does not change the rate changes nothing")
decayed, stopped = losses("--learning-rate", "0.2", "--lr-schedule", "step", "--lr-step-size", "2",
                          "--lr-decay", "0.5"), losses("--learning-rate", "0.2", "--lr-schedule", "step",
                                                       "--lr-step-size", "1", "--lr-decay", "0")
expect(decayed[:3] == plain[:3] and decayed[3] != plain[3],
       "the rate halves after two steps, which the fourth loss shows")
expect(stopped[:2] == plain[:2] and stopped[2:] != plain[2:], "a rate of 0 from the second step on")
warm = losses("--learning-rate", "0.4", "--warmup-steps", "2")
expect(warm[:2] == plain[:2] and warm[2] != plain[2],
       "a warm-up of two steps begins at half of the rate and then reaches the rate")
for name in ("cosine", "linear"):
    fallen = losses("--learning-rate", "0.2", "--lr-schedule", name)
    expect(fallen[:2] == plain[:2] and fallen[2] != plain[2], f"{name} begins at the rate and falls")

# --- epochs and orders
epochs = json.loads(run("train", "mlp", *small, "--epochs", "3", "--learning-rate", "0", "--momentum", "0",
                        "--no-evaluate", "--json", "-").stdout)["loss"]
expect(len(epochs) == 9 and len({tuple(epochs[i : i + 3]) for i in (0, 3, 6)}) == 3,
       "every epoch has another order")
open(f"{folder}/order", "w").write("3 1\n4\n1\n")
done = run("train", "mlp", "--devices", "reference:0", "--data", good, "--batch", "2", "--epochs", "2",
           "--order", f"{folder}/order", "--json", "-")
report = json.loads(done.stdout)
expect(report["steps"] == 4 and len(report["accuracy"]) == 2,
       "an order of 4 samples makes an epoch of 2 steps with 2 samples each", done)
for text in ("1 2.5", "99999999999999999999", "1 -", ""):
    open(f"{folder}/order", "w").write(text)
    refuse(f"the order '{text}'", "train", "mlp", *small, "--order", f"{folder}/order", says="order",
           code=1, hint=False)

# --- a pipe as an input does not block
os.mkfifo(f"{folder}/pipe")
for what, *command in (("--init", "train", "mlp", *small, "--init", f"{folder}/pipe"),
                       ("--order", "train", "mlp", *small, "--order", f"{folder}/pipe"),
                       ("--device-file", "train", "mlp", *small, "--device-file", f"{folder}/pipe"),
                       ("--plan", "train", "mlp", *small, "--plan", f"{folder}/pipe"),
                       ("a program", "run", f"{folder}/pipe"), ("an instance", "solve", "memory",
                                                                f"{folder}/pipe"), ("a pipeline", "solve",
                                                                        "schedule", f"{folder}/pipe")):
    refuse(f"{what} from a pipe", *command, says="not a regular file", code=1, hint=False)
refuse("a pipe that nobody reads", "train", "mlp", *small, "--save", f"{folder}/pipe",
       says="no process reads", code=1, hint=False)

# --- a standard output that cannot be written
open(f"{folder}/pipeline", "w").write("cutset pipeline 1\nmicro-batches 2\nstage 0 1 1 1\n")
for command in (["devices"], ["devices", "--json", "-"], ["ops"], ["ops", "matmul"], ["ops", "--json", "-"],
                ["dump", *model], ["plan", *model], ["explain", *model],
                ["solve", "memory", f"{folder}/m.csv"], ["solve", "memory", f"{folder}/m.csv", "--out", "-"],
                ["solve", "schedule", f"{folder}/pipeline"], ["solve", "schedule", f"{folder}/pipeline",
                                                              "--json", "-"],
                ["verify", "mlp", "--mutate", "help"], ["train", "mlp", *small, "--steps", "1",
                                                        "--no-evaluate", "--quiet"], ["--help"],
                ["--version"]):
    done = subprocess.run([cutset, *command], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE,
                          text=True, env=environment, timeout=300)
    expect(done.returncode == 1 and done.stderr.count("\n") == 1
           and "cannot write to standard output" in done.stderr,
           f"{' '.join(command)} to a full disk (exit {done.returncode}: {done.stderr[-200:]})")
closed = subprocess.run(["sh", "-c", f'exec "{cutset}" train mlp --devices reference:0 --batch 32 --data '
                                     f'"{good}" --steps 1 --no-evaluate --save "{folder}/closed" >&-'],
                        stderr=subprocess.PIPE, text=True, env=environment, timeout=300)
raw = open(f"{folder}/closed", "rb").read()
expect(closed.returncode == 1 and len(raw) == 8 + struct.unpack("<Q", raw[:8])[0]
       + max(e["data_offsets"][1] for n, e in json.loads(raw[8 : 8 + struct.unpack("<Q", raw[:8])[0]]).items()
             if not n.startswith("__")),
       "a closed standard output is an error, and the saved file is complete")

# --- names that come from files
header = json.dumps({"\x1b[31m\x9b2J": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}},
                    ensure_ascii=False).encode()
open(f"{folder}/escape.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + b"x")
done = run("train", "mlp", *small, "--init", f"{folder}/escape.safetensors")
expect(done.returncode in (1, 2) and "\x1b" not in done.stderr and "\x9b" not in done.stderr
       and "\\x1b" in done.stderr, "names of tensors are printed without control sequences", done)


# Outputs are written only to --output-dir, whatever their names are. check_program may also refuse the
# program.
def renamed(data, old, new):
    body = data[24:].replace(old, new)
    return data[:12] + struct.pack("<IQ", zlib.crc32(body), len(body)) + body


program = open(f"{folder}/p.cutset", "rb").read()
image = f"{folder}/image.npy"
for path, descr, shape, data in ((image, "<f4", "(32, 1, 28, 28)", bytes(32 * 784 * 4)),
                                 (f"{folder}/label.npy", "<i4", "(32,)", bytes(32 * 4))):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    open(path, "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data)
inputs = ["--function", "evaluate", "--input", f"image={image}", "--input", f"label={folder}/label.npy"]
sound = run("run", f"{folder}/p.cutset", *inputs, "--output-dir", f"{folder}/out/deep")
expect(sound.returncode == 0 and "loss.npy" in os.listdir(f"{folder}/out/deep"), "outputs are written", sound)
before = set(os.listdir(f"{folder}/out"))
open(f"{folder}/bad.cutset", "wb").write(renamed(program, b"loss", b"../x"))
run("run", f"{folder}/bad.cutset", *inputs, "--output-dir", f"{folder}/out/deep")
expect(set(os.listdir(f"{folder}/out")) == before, "no output leaves --output-dir")

finish()
