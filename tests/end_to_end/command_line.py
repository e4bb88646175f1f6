#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the commands of `cutset`: the results of correct calls, and the errors of wrong calls (one line with
a hint, and exit code 1 or 2). Nothing is lost or half-written, and only the libraries that a command needs
are loaded."""
import glob
import gzip
import json
import os
import re
import struct
import subprocess

from harness import *

good = dataset("good")
small = ["--devices", "reference:0", "--batch", "32", "--data", good]

# --- correct calls
done = run("train", "mlp", *small, "--json", f"{folder}/run.json", "--save", f"{folder}/w.safetensors",
           "--dot", f"{folder}/g.dot")
expect(done.returncode == 0, "a small training", done)
report = json.load(open(f"{folder}/run.json"))
for field in ("model", "devices", "strategy", "batch", "steps", "loss", "accuracy", "step_ms",
              "items_per_second", "first_step_s", "peak_rss_mib", "transfers", "memory"):
    expect(field in report, f"--json has {field}")
expect(report["steps"] == 3 and len(report["loss"]) == 3 and len(report["accuracy"]) == 1,
       "80 samples in batches of 32 make 3 steps, the last of 16 samples")
expect("\r" not in done.stderr and "\033" not in done.stderr,
       "there is no progress bar if standard error is not a terminal")
expect(os.path.getsize(f"{folder}/w.safetensors") > 1e6, "saved weights")
mean = (32 * report["loss"][0] + 32 * report["loss"][1] + 16 * report["loss"][2]) / 80
expect(re.fullmatch(rf"mlp on reference:0: epoch 1 of 1: loss {mean:.4f}, \d+ samples/s; evaluation: loss "
                    r".*, top-1 .* %", done.stderr.splitlines()[-1]), "an epoch ends with a line", done)
epochs = run("train", "mlp", *small, "--steps", "8", "--no-evaluate")
expect([re.sub(r": loss .*", "", line) for line in epochs.stderr.splitlines()] == ["mlp on reference:0: "
        f"epoch {i} of 3" for i in (1, 2)] + ["mlp on reference:0: epoch 3 of 3, 2 of its 3 steps"],
       "each epoch has a line, also one that is not complete", epochs)
for silent in (["--quiet"], ["--json", "-"]):
    expect(run("train", "mlp", *small, *silent).stderr == "", f"{silent[0]}: no line per epoch")
expect(not [f for f in os.listdir(folder) if ".tmp" in f], "no temporary file is left")
again = run("train", "mlp", *small, "--json", "-")
expect(json.loads(again.stdout)["loss"] == report["loss"], "two runs give the same losses")
zipped = run("train", "mlp", "--devices", "reference:0", "--batch", "32",
             "--data", dataset("zipped", zipped=True), "--json", "-")
expect(zipped.returncode == 0 and json.loads(zipped.stdout)["loss"] == report["loss"],
       "gzip files give the same losses", zipped)
split = run("train", "mlp", "--devices", "reference:0,sim:0", "--strategy", "model", "--batch", "32",
            "--data", good, "--json", "-", "--dump-dir", f"{folder}/dump")
expect(split.returncode == 0 and json.loads(split.stdout)["loss"] == report["loss"],
       "the losses over two devices are bitwise equal", split)
expect(sorted(os.listdir(f"{folder}/dump")) == sorted(f"{i:02}-{p}.{e}" for i,
                                                      p in enumerate(["import", "differentiate", "split",
                                                                      "place", "cut", "communicate", "lower"],
                                                                     1) for e in ("mlir", "dot"))
       + ["plan.txt"],
       "--dump-dir writes every phase as MLIR and DOT, and the plan")
made = run("plan", "mlp", "--devices", "reference:0,sim:0", "--batch", "64", "-o", f"{folder}/plan.txt")
text = open(f"{folder}/plan.txt").read()
expect(made.returncode == 0 and "sim:0" in text, "cutset plan writes a plan", made)
open(f"{folder}/plan.txt", "w").write(text.replace("sim:0", "reference:0"))
planned = run("train", "mlp", "--devices", "reference:0,sim:0", "--plan", f"{folder}/plan.txt",
              "--batch", "32", "--data", good, "--json", "-")
expect(planned.returncode == 0
       and not [t for t in json.loads(planned.stdout)["transfers"] if "sim:0" in (t["from"], t["to"])],
       "--plan moves ops", planned)
run("dump", "mlp", "--devices", "reference:0,sim:0", "--strategy", "pipeline(2, micro_batches=3)",
    "--batch", "8", "--to", "cut", "--dot", f"{folder}/pipeline.dot", "--dot-level", "op")
drawn = open(f"{folder}/pipeline.dot").read()
arriving = re.findall(r'"(\w+)" \[label="(?:input image|input label|recv from)', drawn)
expect(len(arriving) == 12 and all(f'"{n}" -> ' in drawn for n in arriving),
       f"the values of all micro-batches are drawn with their readers, and not {arriving}")
blocks = run("dump", "mlp", "--devices", "reference:0,sim:0", "--strategy", "pipeline(2, micro_batches=4)",
             "--batch", "8", "--dot", f"{folder}/blocks.dot", "--dot-level", "block")
drawn = open(f"{folder}/blocks.dot").read()
expect(blocks.returncode == 0 and blocks.stdout == "", "--dot prints no MLIR unless -o is given", blocks)
expect('label="sim:0, stage 2 of 2"' in drawn and "4 micro-batches x " in drawn and ">backward</TD>" in drawn
       and drawn.count('label="input image') == 1,
       "a drawing by block has stages, micro-batches, a legend and one node per input")
explained = run("explain", "mlp", "--devices", "reference:0", "--strategy", "pipeline(1, micro_batches=4)",
                "--batch", "61", "--json", "-")
expect(sorted({o["times"] for o in json.loads(explained.stdout)["ops"]}) == [1, 3],
       "explain says how often an op runs", explained)

# explain marks a device whose limit the program exceeds, and names an empty device.
with open(f"{folder}/limit.json", "w") as file:
    file.write('{"sim:0": {"memory_bytes": 1000}}')
limited = ["explain", "mlp", "--devices", "reference:0,sim:0", "--strategy", "pipeline(2, micro_batches=1)",
           "--device-file", f"{folder}/limit.json"]
exceeded = {m["device"]: (m["limit"], m["over_limit"])
            for m in json.loads(run(*limited, "--json", "-").stdout)["memory"]}
expect(exceeded == {"reference:0": (0, False), "sim:0": (1000, True)},
       "the JSON of explain marks the device over its limit")
marked = run(*limited)
expect("sim:0 has 1000 bytes, and the program takes " in marked.stdout and "EXCEEDED" in marked.stdout,
       "explain marks the device over its limit", marked)
with open(f"{folder}/dear.json", "w") as file:
    file.write('{"sim:0": {"link_seconds": 1000}}')
empty = run("explain", "mlp", "--devices", "reference:0,sim:0", "--device-file", f"{folder}/dear.json")
expect("sim:0 runs no op: the busiest device is estimated to work " in empty.stderr,
       "explain names an empty device", empty)
# Graphviz has a limited time, because it may take hours for a large drawing.
os.makedirs(f"{folder}/bin")
open(f"{folder}/bin/dot", "w").write("#!/bin/sh\nexec sleep 1000\n")
os.chmod(f"{folder}/bin/dot", 0o755)
done = run("dump", "mlp", "--to", "import", "--dot", f"{folder}/slow.dot",
           PATH=f"{folder}/bin:{os.environ['PATH']}", CUTSET_GRAPHVIZ_SECONDS="1")
expect(done.returncode == 0 and "slow.svg was not written: Graphviz's dot took more than 1 s" in done.stderr,
       "a drawing that takes too long is left out", done)
open(f"{folder}/bin/dot", "w").write("#!/bin/sh\nexit 3\n")
done = run("dump", "mlp", "--to", "import", "--dot", f"{folder}/failed.dot",
           PATH=f"{folder}/bin:{os.environ['PATH']}")
expect(done.returncode == 0 and "failed.svg was not written: Graphviz's dot failed with exit code 3"
       in done.stderr, "a failure of Graphviz is reported", done)
done = run("dump", "mlp", "--to", "import", "--dot", f"{folder}/missing.dot", PATH=f"{folder}/nothing")
expect(done.returncode == 0 and "missing.svg was not written: Graphviz's dot is not installed" in done.stderr,
       "a missing Graphviz is reported", done)
expect(os.path.exists(f"{folder}/slow.dot") and not os.path.exists(f"{folder}/slow.svg"),
       "the DOT file is there")
cut = run("dump", "lenet", "--devices", "reference:0,sim:0", "--to", "cut", "--dot", f"{folder}/cut.dot",
          "--dot-level", "op")
dot = open(f"{folder}/cut.dot").read()
expect('label="reference:0"' in dot and 'label="sim:0"' in dot and 'label="conv1"' in dot,
       "DOT has a cluster per device and, inside it, a cluster per layer")
expect("send to sim:0" in dot and "recv from reference:0" in dot and "lenet.cc:" in dot,
       "DOT shows send, recv and source lines")
logged = run("dump", "lenet", "--devices", "reference:0,sim:0", "-o", f"{folder}/x.mlir",
             CUTSET_LOG="place,dispatch")
expect("place: conv1 conv (lenet.cc:" in logged.stderr and "dispatch: fc1 matmul" in logged.stderr
       and "matmul.reference" in logged.stderr, "CUTSET_LOG prints devices, reasons and kernels", logged)
open(f"{folder}/devices.json", "w").write('{"sim:0": {"flops_per_second": 1e15, "bytes_per_second": 1e15, '
                                          '"launch_seconds": 1e-9, "link_bytes_per_second": 1e15}}')
fast = run("dump", "lenet", "--devices", "reference:0,sim:0", "--device-file", f"{folder}/devices.json",
           "-o", f"{folder}/x.mlir", "--log", "place")
expect(fast.stderr.count("on sim:0") > 1.2 * sum(l.startswith("place:") and "on sim:0" in l
                                                 for l in logged.stderr.splitlines()),
       "a faster device in --device-file gets more ops", fast)
# The command knows every environment variable that the command or the runtime reads.
sources = [open(f, encoding="utf-8").read() for top in ("frontends/cli", "frontends/cpp", "runtime")
           for f in glob.glob(f"{source}/{top}/**/*.cc", recursive=True) if not f.endswith("_test.cc")]
read = sorted({name for text in sources
               for name in re.findall(r'(?:getenv|envname|cache_file)\("(CUTSET_\w+)"', text)})
expect(len(read) >= 8 and "CUTSET_GRAPHVIZ_SECONDS" in read, f"the sources read variables: {read}")
known = run("ops", "relu", **{name: "" for name in read})
expect("is not known" not in known.stderr, "no variable that is read is called unknown", known)
warned = run("devices", CUTSET_NONSENSE="1")
expect(warned.returncode == 0 and "CUTSET_NONSENSE" in warned.stderr,
       "an unknown CUTSET_ variable is warned about", warned)
expect("reference:0" in warned.stdout and "sim:0" in warned.stdout, "cutset devices lists the devices")
ops = run("ops", "matmul")
expect(ops.returncode == 0 and "stack times matrix" in ops.stdout, "cutset ops matmul lists its cases", ops)

# --- options and names
refuse("unknown device kind", "train", "mlp", "--devices", "tpu:0", "--data", good, says="tpu", code=1)
refuse("malformed device", "train", "mlp", "--devices", "cpu", "--data", good, says="'cpu'", code=2)
refuse("device named twice", "train", "mlp", "--devices", "reference:0,reference:0", "--data", good,
       says="twice", code=2, hint=False)
refuse("an OpenCL device that is not there", "train", "mlp", "--devices", "opencl:99", "--data", good,
       says="opencl", code=1)
refuse("unknown strategy", "train", "mlp", *small, "--strategy", "magic", says="magic", code=2)
refuse("a strategy that does not exist yet", "train", "mlp", *small, "--strategy", "average(2)",
       says="'average' does not exist yet", code=2)
for strategy, says in (("data", "the number of replicas is missing"), ("data(x)", "not a number of replicas"),
                       ("data(2", "bracket"), ("data(2, shares=1)", "2 shares"),
                       ("data(1, shares=0)", "not all of them 0"),
                       ("data(2)", "groups of equal size"),
                       ("data(1, depth=3)", "is not one of its arguments"), ("data(1) * data(1)", "twice"),
                       ("one_device * model", "cannot be combined"), ("data(1, shares=nan)", "not a share")):
    refuse(f"strategy {strategy}", "train", "mlp", *small, "--strategy", strategy, says=says, code=2)
refuse("unknown model", "train", "resnet", *small, says="'resnet' is neither a built-in model nor an ONNX "
                                                        "file, whose name ends in .onnx (export a model of "
                                                        "PyTorch", code=2)
refuse("unknown flag", "train", "mlp", "--frobnicate", says="--frobnicate", code=2)
refuse("an option with the initials of another one", "train", "mlp", "--lr", "0.1",
       says="there is no option '--lr'; did you mean --learning-rate?", code=2)
refuse("an option that lacks a letter", "train", "mlp", "--device", "cpu:0",
       says="there is no option '--device'; did you mean --devices?", code=2)
refuse("no subcommand", says="subcommand", code=2)
refuse("another subcommand", "trian", "mlp",
       says="there is no command 'cutset trian' (the commands are train, verify,", code=2)
refuse("a batch of 0", "train", "mlp", "--batch", "0", says="batch", code=2)
refuse("a batch that is not a number", "train", "mlp", "--batch", "many", says="batch", code=2)
refuse("unknown phase", "dump", "mlp", "--to", "nowhere", says="nowhere", code=2)
refuse("unknown op", "ops", "frobnicate", says="frobnicate", code=2)
refuse("f64 on a device without f64 kernels", "train", "mlp", "--devices", "opencl:0", "--dtype", "f64",
       "--data", good, says="f64", code=2) if re.search(r"^opencl:0 +\w+ +yes ", warned.stdout,
                                                        re.M) else print("skipped: f64 on OpenCL needs "
                                                                "opencl:0")
refuse("backend that is not there", "train", "mlp", "--devices", "toy:0", "--data", good,
       says="no backend for devices of kind 'toy'", code=1)

without = run("devices", OCL_ICD_VENDORS=f"{folder}/nowhere")
if "opencl:0" in warned.stdout and "not built" not in warned.stdout:
    expect(without.returncode == 0 and "no OpenCL platform" in without.stdout,
           "without a driver, cutset devices says what is missing", without)
    refuse("a driver that is not there", "train", "mlp", "--devices", "opencl:0", "--data", good,
           says="no OpenCL platform", code=1, OCL_ICD_VENDORS=f"{folder}/nowhere")

# --- damaged IDX files
image = idx(3, [80, 28, 28], bytes(80 * 784))
for name, data in {
    "empty": b"", "truncated header": image[:3], "truncated sizes": image[:9], "truncated data": image[:-1],
    "trailing data": image + b"x",
    "wrong magic": b"\1" + image[1:], "wrong type": idx(3, [80, 28, 28], bytes(80 * 784), kind=0x0D),
    "rank 0": idx(0, [], b""), "rank 200": b"\0\0\x08\xc8" + bytes(900),
    "sizes that lie": idx(3, [81, 28, 28], bytes(80 * 784)),
    "sizes that overflow": idx(3, [2**32 - 1] * 3, b"12"), "size of 0": idx(3, [0, 28, 28], b""),
    "wrong rank": idx(1, [80], bytes(80)),
}.items():
    refuse(f"IDX: {name}", "train", "mlp", "--devices", "reference:0",
           "--data", dataset(f"bad {name}", images=data), says="train-images", code=1,
           hint=name != "wrong rank")
packed = gzip.compress(image)
for name, data in {"gzip cut short": packed[:-9], "gzip with a wrong checksum": packed[:-8] + b"\0\0\0\0"
                   + packed[-4:], "gzip with flipped bits": packed[:40] + bytes([packed[40] ^ 255])
                   + packed[41:]}.items():
    refuse(f"IDX: {name}", "train", "mlp", "--devices", "reference:0",
           "--data", dataset(f"bad {name}", images=data), says="train-images", code=1)
refuse("IDX: other number of labels", "train", "mlp", "--devices", "reference:0",
       "--data", dataset("bad count", labels=idx(1, [79], bytes(79))), says="79 labels", code=1, hint=False)
refuse("IDX: a label of 10", "train", "mlp", "--devices", "reference:0",
       "--data", dataset("bad label", labels=idx(1, [80], bytes([10] * 80))), says="label 10", code=1,
       hint=False)
refuse("no data", "train", "mlp", "--devices", "reference:0", "--data", f"{folder}/nowhere", says="nowhere",
       code=1)

# --- safetensors
whole = open(f"{folder}/w.safetensors", "rb").read()
size = struct.unpack("<Q", whole[:8])[0]
header = json.loads(whole[8 : 8 + size])


def weights(name, h=None, data=None, raw=None):
    path = f"{folder}/{name}.safetensors"
    text = json.dumps(h if h is not None else header).encode()
    open(path, "wb").write(raw if raw is not None else struct.pack("<Q", len(text)) + text
                           + (whole[8 + size :] if data is None else data))
    return path


def changed(name, **fields):
    h = json.loads(json.dumps(header))
    h[name].update(fields)
    return h


first = sorted((n for n in header if n != "__metadata__"), key=lambda n: header[n]["data_offsets"][0])
end = header[first[1]]["data_offsets"]
for name, path in {
    "overlapping ranges": weights("overlap", changed(first[1], data_offsets=[end[0] - 4, end[1] - 4])),
    "a hole": weights("hole", changed(first[1], data_offsets=[end[0] + 4, end[1] + 4])),
    "cut short": weights("short", raw=whole[:-5]),
    "a header that lies": weights("lie", raw=struct.pack("<Q", 1 << 60) + whole[8:]),
    "no JSON": weights("nojson", raw=struct.pack("<Q", 4) + b"nope"),
    "unknown dtype": weights("dtype", changed(first[0], dtype="F31")),
    "a negative size": weights("negative", changed(first[0], shape=[-1, 4])),
    "a huge shape": weights("huge", changed(first[0], shape=[2**40, 2**40])),
    "empty file": weights("empty", raw=b""),
}.items():
    refuse(f"safetensors: {name}", "train", "mlp", *small, "--init", path, says=os.path.basename(path),
           code=1, hint=False)
refuse("safetensors: a tensor of another model", "train", "lenet", *small,
       "--init", f"{folder}/w.safetensors", says="w.safetensors", code=2, hint=False)
restarted = run("train", "mlp", *small, "--init", f"{folder}/w.safetensors", "--steps", "1", "--no-evaluate",
                "--json", "-")
expect(restarted.returncode == 0 and json.loads(restarted.stdout)["loss"][0] < report["loss"][0],
       "--init continues from saved weights", restarted)

# --- order, plans, paths
open(f"{folder}/order.txt", "w").write("3 1 4 99\n")
refuse("an order with a sample that is not there", "train", "mlp", *small, "--order", f"{folder}/order.txt",
       says="sample 99", code=2, hint=False)
open(f"{folder}/order.txt", "w").write("3 one\n")
refuse("an order that is not a number", "train", "mlp", *small, "--order", f"{folder}/order.txt",
       says="order.txt", code=1, hint=False)
for name, bad in {"an empty plan": "", "MLIR for a plan": "module {\n}",
                  "bytecode for a plan": "ML\u00efR"}.items():
    open(f"{folder}/bad.plan", "w", encoding="latin-1").write(bad)
    refuse(name, "train", "mlp", *small, "--plan", f"{folder}/bad.plan", says="bad.plan:1:", code=1)
open(f"{folder}/bad.plan", "w").write(text.replace("\nprogram ", "\nprogram 0"))
refuse("a plan of another program", "train", "mlp", *small, "--plan", f"{folder}/bad.plan",
       says="the plan was made for the program", code=2, hint=False)
for name, text in {"no JSON": "{", "a list": "[]", "an unknown member": '{"reference:0": {"speed": 1}}',
                   "a negative number": '{"reference:0": {"flops_per_second": -1}}'}.items():
    open(f"{folder}/bad.json", "w").write(text)
    refuse(f"device file: {name}", "train", "mlp", *small, "--device-file", f"{folder}/bad.json",
           says="bad.json", code=1, hint=False)
refuse("unknown log topic", "train", "mlp", *small, "--log", "everything", says="everything", code=2)
for opening in "[", "{", "(", "tuple<":
    open(f"{folder}/deep.mlir", "w").write("func.func @f() attributes {a = " + opening * 100000)
    refuse(f"a plan that nests {opening}", "train", "mlp", *small, "--plan", f"{folder}/deep.mlir",
           says="deep.mlir:1:", code=1)
refuse("a plan that is not there", "train", "mlp", *small, "--plan", f"{folder}/no.plan", says="no.plan",
       code=1)
refuse("an unwritable path", "train", "mlp", *small, "--steps", "1", "--no-evaluate",
       "--save", "/proc/nowhere/w.safetensors", says="/proc/nowhere", code=1)
refuse("an unwritable dump", "train", "mlp", *small, "--dump-dir", "/proc/nowhere", says="/proc/nowhere",
       code=1, hint=False)

# --- a step with a loss that is not finite
bad = run("train", "mlp", *small, "--learning-rate", "1e30", "--no-evaluate",
          "--save", f"{folder}/good.safetensors", "--json", f"{folder}/bad.json")
expect(bad.returncode == 1 and "before this step" in bad.stderr, "a non-finite loss stops with exit code 1",
       bad)
sound = json.load(open(f"{folder}/bad.json"))
expect(sound["steps"] >= 1 and "before this step" in sound["error"], "the committed steps are reported")
until = run("train", "mlp", *small, "--learning-rate", "1e30", "--steps", str(sound["steps"]),
            "--no-evaluate", "--save", f"{folder}/until.safetensors", "--json", "-")
expect(until.returncode == 0 and json.loads(until.stdout)["loss"] == sound["loss"],
       "a run of only the committed steps has the same losses", until)
expect(open(f"{folder}/good.safetensors", "rb").read() == open(f"{folder}/until.safetensors", "rb").read(),
       "the variables of the step before are saved")

# --- the libraries that are loaded
links = subprocess.run(["ldd", cutset, f"{build}/lib/libcutset_runtime.so"], capture_output=True,
                       text=True).stdout
for library in ("LLVM", "MLIR", "dnnl", "OpenCL"):
    expect(library not in links, f"the binary and the runtime library do not link {library}")
trace = subprocess.run([cutset, "train", "mlp", *small, "--steps", "1", "--no-evaluate"], capture_output=True,
                       text=True, env={**environment, "LD_DEBUG": "files"})
for library in ("libdnnl", "libOpenCL", "libpocl"):
    expect(library not in trace.stderr, f"training on reference:0 does not load {library}")
expect("libMLIR" in trace.stderr, "LD_DEBUG shows what is loaded")

print(f"{len(failures)} failures")
sys.exit(bool(failures))
