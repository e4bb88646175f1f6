#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests saving. If any system call of a save fails, or the process is killed at this call, the file is the
complete old file or the complete new file, and the next save works. A signal ends the training after the
current step, and the variables of that step are saved. Variables that are not finite never replace a
checkpoint."""
import errno
import json
import math
import os
import re
import resource
import signal
import subprocess
import time

from harness import *

good = dataset("good")
small = ["--devices", "reference:0", "--batch", "32", "--data", good]
shim = f"{build}/lib/libcutset_fail_call.so"
place = f"{folder}/saves"
os.makedirs(place)


def read(path):
    return open(path, "rb").read() if os.path.exists(path) else None


def at_every_call(what, name, command, call, error):
    """Runs the command repeatedly and lets the first, the second, ... `call` on a file in `place` fail with
    `error`, or kills the process at this call if `error` is 0. Checks the file `name` each time. Returns the
    number of these calls."""
    file, n = f"{place}/{name}", 0
    while True:
        before, mark = read(file), f"{folder}/mark"
        if os.path.exists(mark):
            os.remove(mark)
        done = run(*command, LD_PRELOAD=shim, FAIL_CALL=call, FAIL_NTH=str(n + 1), FAIL_PATH=place,
                   FAIL_WITH=str(error), FAIL_MARK=mark)
        after = read(file)
        if not os.path.exists(mark):
            expect(done.returncode == 0, f"{what}: the command succeeds if no call fails", done)
            return n
        n += 1
        where = f"{what}: " + (f"{call} {n} fails with {errno.errorcode[error]}" if error
                               else f"the process is killed at {call} {n}")
        whole = after == before or after == wanted[name]
        expect(whole, f"{where}: the file is the complete old one or the complete new one")
        if error:
            errors = [l for l in done.stderr.splitlines() if l.startswith("cutset: error: ")]
            harmless = call in ("unlink", "flock") and done.returncode == 0
            expect(harmless or (done.returncode == 1 and len(errors) == 1 and name in errors[0]),
                   f"{where}: exit code 1 and an error message that names the file", done)
            left = [f for f in os.listdir(place) if ".tmp-" in f and call != "unlink"]
            expect(not left, f"{where}: no temporary file is left")
        else:
            expect(done.returncode == -signal.SIGKILL, f"{where}: the process ends by SIGKILL", done)
        if n > 40:
            expect(False, f"{what}: a save must make at most 40 of these calls")
            return n


# --- every call of every kind of save
open(f"{folder}/m.csv", "w").write("id,lower,upper,size\n"
                                   + "".join(f"b{i},{i},{i + 9},64\n" for i in range(300)))
table = ["solve", "memory", f"{folder}/m.csv", "--out", f"{place}/offsets.csv"]
weights = ["train", "mlp", *small, "--steps", "1", "--no-evaluate", "--save", f"{place}/w.safetensors"]
wanted = {}
run(*table)
wanted["offsets.csv"] = read(f"{place}/offsets.csv")
run(*weights)
wanted["w.safetensors"] = read(f"{place}/w.safetensors")
expect(len(wanted["w.safetensors"]) > 1e6, "weights are saved")
open(f"{place}/offsets.csv", "w").write("old")
counts = {c: at_every_call("solve --out", "offsets.csv", table, c, errno.ENOSPC)
          for c in ("open", "write", "fsync", "rename", "flock", "unlink")}
expect(counts["open"] >= 3 and counts["write"] >= 1 and counts["fsync"] == 2 and counts["rename"] == 1,
       f"every call was reached: {counts}")
for call in ("open", "write", "fsync", "rename", "flock", "unlink"):
    open(f"{place}/offsets.csv", "w").write("old")
    at_every_call("solve --out", "offsets.csv", table, call, 0)
    expect(os.listdir(place).count("offsets.csv") == 1 and not [f for f in os.listdir(place) if ".tmp-" in f],
           f"killed at each {call}: the next save works and leaves no temporary file")
for call, error in (("write", errno.ENOSPC), ("fsync", errno.EIO), ("rename", errno.EXDEV), ("write", 0),
                    ("rename", 0)):
    open(f"{place}/w.safetensors", "w").write("old")
    expect(at_every_call("train --save", "w.safetensors", weights, call, error) >= 1,
           f"train --save makes the call {call}")
os.remove(f"{place}/w.safetensors")

# --json, --save and --out under a limit on the size of files. By default, the signal SIGXFSZ would end the
# process.
made = run("compile", "mlp", "--devices", "reference:0", "--batch", "8", "-o", f"{folder}/mlp.cutset")
expect(made.returncode == 0, "compile", made)


def limited(bytes):
    # the default action of SIGXFSZ is kept
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes, bytes))


for what, file, command in (("--json", "r.json", ["devices", "--json", f"{place}/r.json"]),
                            ("--save", "w.safetensors", weights), ("--out", "offsets.csv", table)):
    open(f"{place}/{file}", "w").write("old")
    done = run(*command, preexec=limited(16))
    expect(done.returncode == 1 and "cannot write" in done.stderr and read(f"{place}/{file}") == b"old",
           f"{what} beyond the limit of file sizes is an error message, and the old file stays", done)

# --- a file that cannot be written is found before the work begins
for what, *options in (("--save", "/proc/nowhere/w"), ("--json", "/proc/nowhere/r"),
                       ("--trace", f"{folder}/no/t"), ("--dot", "/proc/nowhere/g.dot"),
                       ("--dump-dir", "/proc/nowhere"), ("--save", folder)):
    refuse(f"{what} {options[0]}", "train", "mlp", "--devices", "reference:0", "--data", f"{folder}/no data",
           what, *options, says=f"{what}: cannot", code=1)
long = "x" * 256  # one byte longer than names may be
for option in ("--save", "--json", "--trace", "--dot"):
    refuse(f"{option} with a long name", "train", "mlp", "--devices", "reference:0",
           "--data", f"{folder}/no data", option, f"{folder}/{long}", code=1,
           says=f"{option}: cannot write '{folder}/{long}': its name has 256 bytes, and the file system "
                "allows 255")
refuse("--save of several runs with a long name", "train", "mlp", "--devices", "reference:0",
       "--devices", "sim:0", "--data", f"{folder}/no data", "--save", f"{folder}/{long[:254]}", code=1,
       says="its name has 256 bytes")
# The path leaves room for a short name, but not for the name of a checkpoint.
deep = folder + ("/" + "d" * 200) * ((4095 - 45 - len(folder)) // 201)
refuse("--checkpoint-dir with a long path", "train", "mlp", "--devices", "reference:0",
       "--data", f"{folder}/no data", "--checkpoint-dir", deep + "/" + "e" * (4095 - 30 - len(deep)),
       says="File name too long", code=1)
refuse("-o of compile", "compile", "mlp", "--devices", "reference:0", "-o", "/proc/nowhere/p",
       says="-o: cannot write", code=1)
refuse("--output-dir of run", "run", f"{folder}/no.cutset", "--output-dir", "/proc/nowhere",
       says="--output-dir: cannot create", code=1, hint=False)
refuse("--out of solve", "solve", "memory", f"{folder}/no.csv", "--out", "/proc/nowhere/o",
       says="--out: cannot write", code=1)
refuse("one file for two things", "train", "mlp", *small, "--save", f"{folder}/x", "--json", f"{folder}/x",
       says="another option", code=2)
expect(not os.path.exists(f"{folder}/x"), "a check leaves no file")
for option in ("--save", "--json", "--trace", "--dot", "--init", "--order", "--plan", "--dump-dir"):
    refuse(f"{option} without a name", "train", "mlp", *small, option, "", says=option, code=2)

# --- several runs
two = run("train", "mlp", "--devices", "reference:0", "--devices", "sim:0", *small[2:], "--steps", "2",
          "--no-evaluate", "--save", f"{folder}/two.safetensors", "--dot", f"{folder}/two.dot",
          "--trace", f"{folder}/two.json")
expect(two.returncode == 0, "two runs", two)
for stem, end in (("two", "safetensors"), ("two", "dot"), ("two", "json")):
    expect(all(os.path.exists(f"{folder}/{stem}.{i}.{end}") for i in (1, 2))
           and not os.path.exists(f"{folder}/{stem}.{end}"), f"each run has a .{end} of its own")
missing = run("train", "mlp", "--devices", "reference:0", "--devices", "nowhere:0", *small[2:],
              "--steps", "1")
expect(missing.returncode == 1 and missing.stdout == "" and "nowhere" in missing.stderr,
       "a device that is missing is found before the first run", missing)
open(f"{folder}/tight.json", "w").write('{"sim:0": {"memory_bytes": 100000}}')
later = run("train", "mlp", "--devices", "reference:0", "--devices", "sim:0", *small[2:], "--steps", "2",
            "--no-evaluate", "--device-file", f"{folder}/tight.json", "--json", f"{folder}/kept.json")
expect(later.returncode == 1 and "100000 bytes" in later.stderr
       and re.search(r"^reference:0 +2 ", later.stdout, re.M),
       "a run that fails does not lose the results of the run before it", later)
kept = json.load(open(f"{folder}/kept.json"))
expect([r["devices"] for r in kept] == ["reference:0"] and len(kept[0]["loss"]) == 2,
       "the results of the run before the failed one are written to --json")


# --- signals
def start(*arguments):
    return subprocess.Popen([cutset, "train", "mlp", *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment)


def wait_for(path):
    for _ in range(2000):
        if os.path.exists(path):
            return
        time.sleep(0.05)


def stop(number, common, sign, *arguments):
    """Sends a signal to a training run after `sign`, and checks the variables that it saves."""
    file, report = f"{folder}/{number.name}.safetensors", f"{folder}/{number.name}.json"
    process = start(*common, "--epochs", "1000000", "--no-evaluate", "--save", file, "--json", report,
                    *arguments)
    sign(process, file)
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    expect(process.returncode == 128 + number,
           f"{number.name}: exit code {128 + number}, not {process.returncode}: {err[-300:]}")
    done = json.load(open(report))
    expect(done["stopped_by"] == number.name and done["steps"] == len(done["loss"]) >= 3,
           f"{number.name}: the completed steps are reported")
    expect(re.search(rf"^reference:0 +{done['steps']} ", out, re.M), f"{number.name}: the table is printed")
    exact = run("train", "mlp", *common, "--steps", str(done["steps"]), "--no-evaluate",
                "--save", f"{folder}/exact.safetensors")
    expect(exact.returncode == 0 and read(file) == read(f"{folder}/exact.safetensors"),
           f"{number.name}: the variables of the last step are saved", exact)


stop(signal.SIGINT, small, lambda process, file: wait_for(file), "--save-every", "3")
# With a batch of all samples, each step is the last of an epoch, and nothing is written meanwhile, so the
# signal is received in such a step.
stop(signal.SIGTERM, ["--devices", "reference:0", "--batch", "80", "--data", good], lambda process,
     file: [process.stderr.readline() for _ in range(4)])
# a terminal that is closed
stop(signal.SIGHUP, small, lambda process, file: wait_for(file), "--save-every", "3")
process = start(*small, "--epochs", "1000000", "--save", f"{folder}/twice.safetensors", "--save-every", "1")
wait_for(f"{folder}/twice.safetensors")
process.send_signal(signal.SIGSTOP)
process.send_signal(signal.SIGINT)
process.send_signal(signal.SIGTERM)
process.send_signal(signal.SIGCONT)
process.communicate(timeout=60)
expect(process.returncode in (-signal.SIGINT, -signal.SIGTERM),
       "a second signal ends the process at once, by SIGINT or SIGTERM; its return code is "
       f"{process.returncode}")

# --- a checkpoint with values that are not finite
run("train", "mlp", *small, "--steps", "1", "--no-evaluate", "--save", f"{folder}/start.safetensors")
raw = read(f"{folder}/start.safetensors")
size = struct.unpack("<Q", raw[:8])[0]
header = json.loads(raw[8 : 8 + size])
del header["__metadata__"]["cutset.checksum"]  # the elements change
head = json.dumps(header).encode()
raw = struct.pack("<Q", len(head)) + head + raw[8 + size :]
size = len(head)
values = bytearray(raw)
# With these large weights the loss is finite, and an update with a learning rate of 1e38 overflows f32.
for name, entry in header.items():
    if name.startswith("__") or "velocity" in name or entry["dtype"] != "F32":
        continue
    begin, end = (8 + size + o for o in entry["data_offsets"])
    numbers = struct.unpack(f"<{(end - begin) // 4}f", raw[begin:end])
    values[begin:end] = struct.pack(f"<{len(numbers)}f", *(1000 * v for v in numbers))
for name in ("large", "kept"):
    open(f"{folder}/{name}.safetensors", "wb").write(values)
worse = run("train", "mlp", *small, "--steps", "1", "--no-evaluate", "--learning-rate", "1e38",
            "--init", f"{folder}/large.safetensors", "--save", f"{folder}/kept.safetensors")
expect(worse.returncode == 1 and read(f"{folder}/kept.safetensors") == bytes(values),
       "variables that are not finite do not replace a checkpoint", worse)

finish()
