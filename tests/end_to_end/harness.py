# SPDX-License-Identifier: Apache-2.0
"""Helpers of the end-to-end scripts: they run the command `cutset`, check its results, and count failures.
Every script is called as SCRIPT SOURCE BUILD."""
import atexit
import gzip
import os
import shutil
import struct
import subprocess
import sys
import tempfile

source, build = map(os.path.abspath, sys.argv[1:3])
cutset = f"{build}/bin/cutset"
folder = tempfile.mkdtemp(prefix="cutset-cli-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
environment = {k: v for k, v in os.environ.items() if not k.startswith("CUTSET_")}
failures = []


def run(*arguments, preexec=None, **variables):
    """Runs `cutset` with these arguments and environment variables."""
    return subprocess.run([cutset, *arguments], capture_output=True, text=True, timeout=300,
                          env={**environment, **variables}, preexec_fn=preexec)


def must(*command):
    """Runs a command in the folder of the test, and ends the test if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def expect(condition, what, done=None):
    """Counts and prints a failure unless the condition holds. `done` is a process whose output is printed,
    too."""
    if not condition:
        failures.append(what)
        print("FAILED:", what, "" if done is None else f"(exit {done.returncode})\n  out: "
                                                       f"{done.stdout[-300:]}\n  err: {done.stderr[-500:]}")


def refuse(what, *arguments, says, code, hint=True, preexec=None, **variables):
    """Expects that `cutset` fails with this exit code and one line on standard error that contains `says`
    and, if `hint`, a hint in parentheses."""
    done = run(*arguments, preexec=preexec, **variables)
    lines = [l for l in done.stderr.splitlines() if l.strip()]
    expect(done.returncode == code, f"{what}: exit code {code}", done)
    expect(len(lines) == 1 and lines[0].startswith("cutset: error: "), f"{what}: one line of error", done)
    expect(says in done.stderr, f"{what}: says '{says}'", done)
    if hint:
        expect("(" in done.stderr and ")" in done.stderr, f"{what}: has a hint", done)


def idx(rank, sizes, data, kind=0x08, magic=b"\0\0"):
    """Returns the contents of an IDX file."""
    return magic + bytes([kind, rank]) + b"".join(struct.pack(">I", s) for s in sizes) + data


def pictures(n):
    """Returns n images that depend on their labels (0 to 9), so that the accuracy of a model improves when it
    learns."""
    return bytes(250 if i // 56 % 14 == k % 10 else i * 31 % 64 for k in range(n) for i in range(784))


def dataset(name, images=None, labels=None, zipped=False, tests=20):
    """Writes a small data set and returns its folder. The training images and labels can be replaced by wrong
    ones."""
    at = f"{folder}/{name}"
    os.makedirs(at, exist_ok=True)
    good = {"train-images-idx3-ubyte": idx(3, [80, 28, 28], pictures(80)),
            "train-labels-idx1-ubyte": idx(1, [80], bytes(i % 10 for i in range(80))),
            "t10k-images-idx3-ubyte": idx(3, [tests, 28, 28], pictures(tests)),
            "t10k-labels-idx1-ubyte": idx(1, [tests], bytes(i % 10 for i in range(tests)))}
    if images is not None:
        good["train-images-idx3-ubyte"] = images
    if labels is not None:
        good["train-labels-idx1-ubyte"] = labels
    for file, data in good.items():
        if zipped and images is None:
            open(f"{at}/{file}.gz", "wb").write(gzip.compress(data))
        else:
            open(f"{at}/{file}", "wb").write(data)
    return at


def finish():
    print(f"{len(failures)} failures")
    sys.exit(bool(failures))
