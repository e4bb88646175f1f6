#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cutset train --save` at every system call of a save. Counts torn files, temporary files that remain,
and later saves that fail or leave a temporary file. Needs strace.

    bench/kill_save.py BUILD [DATA]

DATA is a folder with the IDX files of Fashion-MNIST. Default: small random files. Exits with 1 if a file was
torn, if a later save failed or left a temporary file, or if no run was killed. """
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp(prefix="cutset-kill-")
data = sys.argv[2] if len(sys.argv) > 2 else f"{folder}/data"
if len(sys.argv) <= 2:
    os.makedirs(data)
    for split, n in (("train", 80), ("t10k", 20)):
        open(f"{data}/{split}-images-idx3-ubyte", "wb").write(struct.pack(">4BIII", 0, 0, 8, 3, n, 28, 28)
                                                              + os.urandom(n * 784))
        open(f"{data}/{split}-labels-idx1-ubyte", "wb").write(struct.pack(">4BI", 0, 0, 8, 1, n)
                                                              + bytes(i % 10 for i in range(n)))
save = f"{folder}/saves/w.safetensors"
os.makedirs(os.path.dirname(save))
command = [f"{build}/bin/cutset", "train", "mlp", "--devices", "reference:0", "--batch", "32", "--steps", "1",
           "--no-evaluate", "--data", data, "--save", save]


def run(*strace):
    return subprocess.run([*strace, *command], capture_output=True, text=True).returncode


# strace follows only the first thread, which saves.
open(save, "wb").write(b"old")
run("strace", "-o", f"{folder}/log")
new = open(save, "rb").read()
names = [m and m.group(1) for m in (re.match(r"(\w+)\(", line) for line in open(f"{folder}/log"))]
lines = open(f"{folder}/log").read().splitlines()
made = [i for i, line in enumerate(lines) if ".tmp-" in line and "O_EXCL" in line][-1]
moved = next(i for i in range(made, len(lines)) if lines[i].startswith("rename"))
calls = [i for i in range(max(made - 12, 0), min(moved + 12, len(lines))) if names[i]]
torn = unsaved = kills = orphans = 0
for i in calls:
    nth = names[: i + 1].count(names[i])
    open(save, "wb").write(b"old")
    kills += run("strace", "-o", "/dev/null", "-e",
                 f"inject={names[i]}:signal=KILL:when={nth}") in (-signal.SIGKILL, 128 + signal.SIGKILL)
    torn += open(save, "rb").read() not in (b"old", new)
    orphans += sum(".tmp-" in f for f in os.listdir(os.path.dirname(save)))
    unsaved += run() != 0 or open(save, "rb").read() != new or len(os.listdir(os.path.dirname(save))) != 1
print(f"{len(calls)} system calls, {kills} kills: {torn} torn files, {orphans} temporary files left by the "
      f"kills, {unsaved} later saves that failed or left a temporary file")
shutil.rmtree(folder)
sys.exit(bool(torn or unsaved or not kills))
