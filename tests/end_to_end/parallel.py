#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests replicas, verification, saved programs, traces, explanations and the memory solver on the command
line."""
import json
import os
import re
import resource
import signal
import struct

from harness import *

good = dataset("good")
pair = ["--devices", "reference:0,sim:0", "--strategy", "data(2, shares=2:1)", "--batch", "16",
        "--data", good]

# --- replicas
one = run("train", "mlp", "--devices", "reference:0", "--batch", "16", "--data", good, "--json", "-")
two = run("train", "mlp", *pair, "--json", "-", "--trace", f"{folder}/trace.json")
expect(two.returncode == 0, "training two replicas", two)
a, b = json.loads(one.stdout), json.loads(two.stdout)
expect(all(abs(x - y) <= 1e-5 * abs(x) for x, y in zip(a["loss"], b["loss"])),
       "replicas have the losses of one device")
expect(b["strategy"] == "data(2, shares=2:1)" and a["accuracy"] == b["accuracy"],
       "strategy and accuracy are reported")
still = json.loads(run("train", "mlp", "--devices", "reference:0", "--batch", "16", "--data", good,
                       "--learning-rate", "0", "--json", "-").stdout)
expect(still["accuracy"] != a["accuracy"], "the accuracy is that of the trained variables")
found = run("train", "mlp", "--devices", "reference:0,sim:0", "--strategy", "mirrored", "--batch", "16",
            "--data", good, "--steps", "2", "--no-evaluate", "--json", "-")
expect(found.returncode == 0 and json.loads(found.stdout)["strategy"].startswith("data(2, shares="),
       "mirrored is data(n) over all devices, with shares that follow their speeds", found)
bits = [json.loads(run("train", "mlp", "--devices", d, "--strategy", s, "--batch", "16", "--data", good,
                       "--steps", "3", "--no-evaluate", "--deterministic", "--json", "-").stdout)["loss"]
        for d, s in (("reference:0", "one_device"), ("reference:0,reference:1", "data(2)"),
                     ("reference:0,reference:1,reference:2", "data(3, shares=1:2:3)"))]
expect(bits[0] == bits[1] == bits[2],
       "--deterministic: the losses are bitwise equal for any number of replicas")
mixed = run("train", "mlp", *pair, "--steps", "1", "--no-evaluate", "--deterministic")
expect(mixed.returncode == 0 and "devices of 2 kinds" in mixed.stderr,
       "--deterministic warns about devices of different kinds", mixed)

# --- trace
events = json.load(open(f"{folder}/trace.json"))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
expect({(e["pid"], e["tid"]) for e in slices} == {(d, q) for d in (0, 1) for q in (0, 1, 2)},
       "the trace has one row per queue")
expect(all(e["dur"] >= 0 for e in slices) and any("mlp.cc:" in e["args"]["source"] for e in slices),
       "slices have lengths and source lines")
starts, ends = ({e["id"] for e in events if e["ph"] == p} for p in "sf")
expect(starts and starts == ends, "every arrow of the trace has both ends")
expect(any(e["ph"] == "C" and e["args"]["activations"] > 0 for e in events), "the trace counts memory")
# In a pipeline, each slice of the trace names its micro-batch. The time for which a device waits is no time
# of a transfer.
staged = run("train", "mlp", "--devices", "reference:0,sim:0", "--strategy", "pipeline(2, micro_batches=2)",
             "--batch", "16", "--data", good, "--steps", "3", "--no-evaluate",
             "--trace", f"{folder}/staged.json")
expect(staged.returncode == 0, "training with a pipeline", staged)
events = json.load(open(f"{folder}/staged.json"))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
kernels = [e for e in slices if e["cat"] == "kernel" and "matmul" in e["name"]
           and e["args"]["part"] == "compute"]
expect({e["args"].get("micro_batch") for e in kernels} == {0, 1},
       f"matrix products belong to micro-batch 0 or 1: {kernels[:2]}")
begun = {e["id"]: max(s["ts"] for s in slices if (s["pid"], s["tid"]) == (e["pid"], e["tid"])
                      and s["ts"] <= e["ts"]) for e in events if e["ph"] == "s"}
ended = {e["id"]: max((s for s in slices if (s["pid"], s["tid"]) == (e["pid"], e["tid"])
                       and s["ts"] <= e["ts"] + 0.002), key=lambda s: s["ts"]) for e in events
         if e["ph"] == "f"}
# The clocks of two devices differ by up to the time that the host needs to read them; a wait for the other
# device takes milliseconds.
early = [begun[i] - ended[i]["ts"] for i in begun]
expect(early and max(early) < 500, f"no recv begins before its send: {early} microseconds")
waits = [e for e in slices if e["cat"] == "wait for a device"]
expect(waits and all(e["dur"] > 0 and e["name"] == "wait for the send" for e in waits),
       f"waits are slices of their own: {waits[:2]}")

# --- verify
same = run("verify", "mlp", *pair, "--json", "-")
expect(same.returncode == 0 and json.loads(same.stdout)[0]["same"] and json.loads(same.stdout)[0]["ops"] > 50,
       "verify accepts a correct program", same)
wide = run("verify", "mlp", *pair, "--dtype", "f64", "--json", "-")
expect(wide.returncode == 0 and json.loads(wide.stdout)[0]["same"], "verify in f64", wide)
classes = run("verify", "mlp", "--mutate", "help").stdout.split()
expect(len(classes) >= 10, "ten classes of mutations or more")
# Some mutations need a special program: swapped-recv needs two received tensors of the same shape, and
# wrong-axis needs a square operand.
apart = ["--devices", "reference:0,sim:0", "--strategy", "data(2)", "--bucket-bytes", "0", "--batch", "16",
         "--data", good]
square = ["--devices", "sim:0", "--batch", "10", "--data", good]
stages = ["--devices", "reference:0,sim:0", "--strategy", "pipeline(2, micro_batches=3)", "--batch", "10",
          "--data", good]
pieces = ["--devices", "reference:0,sim:0", "--strategy", "tensor(2)", "--batch", "10", "--data", good]
special = {"swapped-recv": apart, "wrong-axis": square, "wrong-micro-batch": stages, "wrong-slot": stages,
           "early-update": stages,
           "wrong-slice": pieces, "lost-term": pieces, "doubled-term": pieces}
# they need an op that draws random numbers, and a shared variable
without_site = {"wrong-first-element", "stale-shared-value"}
for name in classes:
    program = special.get(name, pair)
    if name in without_site:
        refuse(f"verify {name}: mlp has no site", "verify", "mlp", *program, "--mutate", name,
               says="no site for the mutation", code=2)
        continue
    done = run("verify", "mlp", *program, "--steps", "1", "--mutate", name, "--mutate-seed", "3")
    made = re.search(rf"^mutated: {name} at .* on (reference|sim):0", done.stderr, re.M)
    found = [l for l in done.stderr.splitlines() if l.startswith("cutset: error: ")]
    expect(done.returncode == 1 and made, f"verify: the mutation {name} is made and found", done)
    if name == "missing-vote":
        expect(len(found) == 1 and re.search(r"(reference|sim):0\b.*finite check", found[0]),
               "verify missing-vote: the check of programs names the device", done)
        continue
    expect(len(found) == 1 and re.search(r"(mlp|blocks|class_loss|class_metrics)\.cc:\d+: '\w+' .*on "
                                         r"(reference|sim):0\b|'variable @fc\d\.\w+' on replica "
                                         r"\d|instruction \d+ of the compute queue of (reference|sim):0 "
                                         r"\('\w+' of \w+\)", found[0]),
           f"verify {name}: the first op that differs is named with its line and device, or the variable "
           "with its replica, or the op that a check of the program refuses", done)
refuse("an unknown mutation", "verify", "mlp", *pair, "--mutate", "magic", says="no mutation 'magic'", code=2)
refuse("a mutation without a site", "verify", "mlp", "--devices", "reference:0", "--data", good,
       "--batch", "4", "--mutate", "missing-all-reduce", says="no site for the mutation", code=2)

# --- explain
why = run("explain", "lenet", "--devices", "reference:0,sim:0", "--strategy", "model", "--json", "-")
expect(why.returncode == 0, "explain", why)
report = json.loads(why.stdout)
expect(report["transfers"] and report["memory"]
       and all(o["reason"] and len(o["candidates"]) == 2 for o in report["ops"]),
       "explain reports device, reason, candidates, transfers and memory")
narrow = run("explain", "lenet", "conv1/relu", "--devices", "reference:0,sim:0")
expect(narrow.returncode == 0 and "relu" in narrow.stdout
       and not re.search(r"^(fused_)?conv\s", narrow.stdout, re.M), "explain of one op", narrow)
refuse("an op that is not there", "explain", "lenet", "frobnicate", "--devices", "reference:0",
       says="frobnicate", code=2)


# --- saved programs
def npy(name, descr, shape, data, version=1, fortran="False"):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {tuple(shape)}, }}".encode()
    text += b" " * ((64 - (10 + len(text) + 1) % 64) % 64) + b"\n"
    path = f"{folder}/{name}.npy"
    open(path, "wb").write(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(text)) + text + data)
    return path


image = npy("image", "<f4", [8, 1, 28, 28], struct.pack("<6272f", *[i % 97 / 97 for i in range(6272)]))
label = npy("label", "<i4", [8], struct.pack("<8i", *range(8)))
feeds = ["--input", f"image={image}", "--input", f"label={label}"]
inputs = ["--function", "evaluate", *feeds]
file = f"{folder}/lenet.cutset"
for devices in ("reference:0", "sim:0", "reference:0,sim:0"):
    made = run("compile", "lenet", "--devices", devices, "--batch", "8", "-o", file)
    expect(made.returncode == 0, f"compile for {devices}", made)
    done = run("run", file, *inputs, "--json", "-", "--maps", f"{folder}/maps",
               "--output-dir", f"{folder}/out")
    expect(done.returncode == 0, f"run on {devices}", done)
    maps = open(f"{folder}/maps").read()
    expect("libcutset_runtime" in maps and "libMLIR" not in maps and "libLLVM" not in maps,
           f"no compiler is loaded on {devices}")
    loss = open(f"{folder}/out/loss.npy", "rb").read()
    expect(loss.startswith(b"\x93NUMPY") and 0 < struct.unpack("<f", loss[-4:])[0] < 5,
           "outputs are .npy files")
trained = run("run", file, *feeds, "--function", "train", "--repeat", "20", "--json", "-")
expect(json.loads(trained.stdout)["outputs"]["loss"]["value"] < json.loads(done.stdout)["outputs"]["loss"][
    "value"], "a saved program trains", trained)
predicted = run("run", file, "--input", f"image={image}", "--json", "-",
                "--output-dir", f"{folder}/predicted")
expect(predicted.returncode == 0
       and {"class.npy", "logits.npy", "probability.npy"} <= set(os.listdir(f"{folder}/predicted")),
       "without --function, a saved program runs predict, which needs no labels", predicted)
rows = struct.unpack("<80f", open(f"{folder}/predicted/probability.npy", "rb").read()[-320:])
classes = struct.unpack("<8q", open(f"{folder}/predicted/class.npy", "rb").read()[-64:])
expect(all(abs(sum(rows[10 * i : 10 * i + 10]) - 1) < 1e-5
           and rows[10 * i + classes[i]] == max(rows[10 * i : 10 * i + 10]) for i in range(8)),
       "probabilities add up to 1, and the class is the most probable", predicted)
run("train", "mlp", "--devices", "reference:0", "--batch", "32", "--data", good, "--steps", "1",
    "--no-evaluate", "--save", f"{folder}/mlp.safetensors")
refuse("weights of other shapes", "compile", "lenet", "--devices", "reference:0", "-o", f"{folder}/x.cutset",
       "--init", f"{folder}/mlp.safetensors", says="mlp.safetensors", code=2, hint=False)
expect(not os.path.exists(f"{folder}/x.cutset"), "a failed compile leaves no file")

program = open(file, "rb").read()


def saved(name, data):
    open(f"{folder}/{name}.cutset", "wb").write(data)
    return f"{folder}/{name}.cutset"


for name, data, says in (("empty", b"", "too short"), ("no program", b"hello " * 20,
                                                       "does not begin with the magic number"),
                         ("header alone", program[:24], "bytes after its header"),
                         ("cut short", program[:-7], "bytes after its header"),
                         ("a later version", program[:8] + struct.pack("<I", 99) + program[12:],
                          "version 99"), ("flipped bit", program[:5000] + bytes([program[5000] ^ 4])
                                          + program[5001:], "damaged"),
                         ("size that lies", program[:16] + struct.pack("<Q", 2**60) + program[24:],
                          "bytes after its header"), ("trailing bytes", program + b"x",
                                                      "bytes after its header")):
    refuse(f"saved program: {name}", "run", saved("bad", data), *inputs, says=says, code=1)
refuse("a saved program that is not there", "run", f"{folder}/no.cutset", says="no.cutset", code=1)
refuse("an input that is missing", "run", file, "--function", "evaluate", "--input", f"image={image}",
       says="no array for 'label'", code=2)
refuse("an unknown input", "run", file, *inputs, "--input", f"mask={image}", says="no input 'mask'", code=2)
refuse("an input twice", "run", file, *inputs, "--input", f"image={image}", says="twice", code=2, hint=False)
refuse("an input without a file", "run", file, "--input", "image", says="NAME=FILE.npy", code=2, hint=False)
refuse("an unknown function", "run", file, *feeds, "--function", "forecast", says="no function 'forecast'",
       code=2)
refuse("an input of another shape", "run", file, "--function", "evaluate",
       "--input", f"image={npy('small', '<f4', [4, 1, 28, 28], bytes(4 * 784 * 4))}",
       "--input", f"label={label}", says="compiled for 8x1x28x28xf32", code=2)
for name, path, says in (("another type", npy("wide", "<f8", [8], bytes(64)),
                          "has the element type f64, and the program reads f32"),
                         ("big-endian", npy("big", ">f4", [8], bytes(32)), "unsupported type"),
                         ("objects", npy("objects", "|O", [8], bytes(64)), "unsupported type"),
                         ("a wrong word for the order",
                          npy("fortran", "<f4", [8], bytes(32), fortran="Maybe"), "neither True nor False"),
                         ("a shape that lies", npy("lies", "<f4", [9], bytes(32)), "has 32 bytes of data"),
                         ("a huge shape", npy("huge", "<f4", [2**40, 2**40], b""), "invalid shape"),
                         ("version 9", npy("nine", "<f4", [8], bytes(32), version=9), "version 9"),
                         ("a size below 0", npy("minus", "<f4", [-8], bytes(32)),
                          "not a whole number of 0 or more")):
    done = run("run", file, "--function", "evaluate", "--input", f"image={path}", "--input", f"label={label}")
    expect(done.returncode in (1, 2) and says in done.stderr and done.stderr.count("\n") == 1,
           f".npy: {name} says '{says}'", done)
open(f"{folder}/short.npy", "wb").write(open(image, "rb").read()[:9])
refuse(".npy: cut short", "run", file, "--function", "evaluate", "--input", f"image={folder}/short.npy",
       "--input", f"label={label}", says="not a .npy file", code=1)

# --- a full disk during a save leaves the old file complete
before = open(file, "rb").read()
for limit in (0, 1, 4096, len(before) // 2, len(before) - 1):
    def full(limit=limit):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    refuse(f"a disk full after {limit} bytes", "compile", "lenet", "--devices", "reference:0,sim:0",
           "--batch", "8", "--seed", "5", "-o", file, says="cannot write", code=1, preexec=full)
    expect(open(file, "rb").read() == before, f"the old program is whole after {limit} bytes")
expect(not [n for n in os.listdir(folder) if ".tmp" in n], "no temporary file is left")

# --- budgets and device files
for name, text, says, code in (("a budget", '{"sim:0": {"memory_bytes": 100000}}',
                                "'sim:0' has 100000 bytes; the program takes", 1),
                               ("a budget of 0", '{"sim:0": {"memory_bytes": 0}}', "not a positive number",
                                1),
                               ("text for a number", '{"sim:0": {"memory_bytes": "much"}}',
                                "not a positive number", 1), ("nested devices", '{"sim:0": {"sim:1": {}}}',
                                                              "not a positive number", 1)):
    open(f"{folder}/devices.json", "w").write(text)
    refuse(f"device file: {name}", "train", "mlp", "--devices", "sim:0", "--data", good,
           "--device-file", f"{folder}/devices.json", says=says, code=code, hint=False)

# --- plans for replicas
plan = run("plan", "mlp", "--devices", "reference:0,sim:0", "--strategy", "data(2)", "--batch", "16")
open(f"{folder}/plan.txt", "w").write(plan.stdout.replace("sim:0", "nowhere:0"))
refuse("a plan for other devices", "train", "mlp", *pair, "--plan", f"{folder}/plan.txt", says="nowhere:0",
       code=2, hint=False)

# --- the memory solver
open(f"{folder}/m.csv", "w").write("id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,2\nd,9,12,6\n")
packed = run("solve", "memory", f"{folder}/m.csv", "--mode", "exact", "--capacity", "6", "--out", "-")
expect(packed.returncode == 0 and packed.stdout.startswith("id,lower,upper,size,offset\n")
       and packed.stdout.count("\n") == 5, "solve memory writes offsets", packed)
refuse("a capacity below the live peak", "solve", "memory", f"{folder}/m.csv", "--mode", "exact",
       "--capacity", "5", says="there is no packing into 5 bytes", code=1)
for name, text, says in (("no header", "a,0,3,4\n", "header"),
                         ("no buffer", "id,lower,upper,size\n", "no buffer"),
                         ("letters", "id,lower,upper,size\na,0,x,4\n", "'x' is not a number"),
                         ("too few", "id,lower,upper,size\na,0\n", "too few"),
                         ("ends before it begins", "id,lower,upper,size\na,5,3,4\n", "out of range"),
                         ("a size below 0", "id,lower,upper,size\na,0,3,-4\n", "out of range"),
                         ("a size beyond all", "id,lower,upper,size\na,0,3,9999999999999999999\n",
                          "not a number")):
    open(f"{folder}/bad.csv", "w").write(text)
    refuse(f"solve memory: {name}", "solve", "memory", f"{folder}/bad.csv", says=says, code=1)
finish()
