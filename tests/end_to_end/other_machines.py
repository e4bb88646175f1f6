#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that a saved program depends neither on the machine nor on the number of threads that compiled it.
Each built-in network is compiled for the best instruction set of this machine, for a smaller one, and for two
threads. The three programs are equal byte by byte, and each of these "machines" runs the program that another
one has compiled. The losses differ only by rounding."""
import re

from harness import *
import onnx_wheels  # noqa: F401, before numpy
import numpy as np

networks = {"mlp": [], "lenet": [], "lenet-smooth": [], "alexnet": ["image_size=64", "classes=10"],
            "vgg16": ["image_size=32", "classes=10"], "resnet18": ["image_size=64"],
            "resnet50": ["image_size=64"], "inception-v1": ["image_size=64"],
            "mobilenet-v2": ["image_size=64"],
            "lstm": ["sequence_length=8"], "youtube": ["vocabulary=1000", "classes=500"],
            "transformer": ["sequence_length=16"], "bert": ["layers=2", "vocabulary=1000"]}
best = "AVX512_CORE" if "avx512bw" in open("/proc/cpuinfo").read() else "AVX2"
less = "AVX2" if best == "AVX512_CORE" else "SSE41"
# The instruction set and the number of threads of each machine.
machines = {"best": (best, 1), "less": (less, 1), "threads": (best, 2)}
# The machine that compiles a program, and the machine that runs it.
directions = [("best", "best"), ("best", "less"), ("less", "best"), ("best", "threads"), ("threads", "best")]
integers = {"i32": np.int32, "i64": np.int64}


def on(machine, *arguments):
    instructions, threads = machines[machine]
    return run(*arguments, "--threads", str(threads), ONEDNN_MAX_CPU_ISA=instructions)


def arrays(network, program):
    """Returns the options --input for all inputs of the function "train". The error that an array is missing
    names the type of the input."""
    options, random = [], np.random.default_rng(7)
    while True:
        done = run("run", program, "--function", "train", *options)
        missing = re.search(r"no array for '(\w+)'.* its type is ((?:\d+x)*)(\w+)\)", done.stderr)
        if not missing:
            return options
        name, sizes, dtype = missing.groups()
        shape = [int(size) for size in sizes.split("x")[:-1]]
        value = (random.integers(0, 2, shape).astype(integers[dtype]) if dtype in integers
                 else random.standard_normal(shape).astype(np.float32))
        np.save(f"{folder}/{network}-{name}.npy", value)
        options += ["--input", f"{name}={folder}/{network}-{name}.npy"]


for network, sizes in networks.items():
    programs = {machine: f"{folder}/{network}-{machine}.cutset" for machine in machines}
    for machine, program in programs.items():
        done = on(machine, "compile", network, "--batch", "4", "--seed", "3", "--dropout", "0",
                  "--learning-rate", "0.0001", "-o", program, *(a for s in sizes for a in ("--size", s)))
        expect(done.returncode == 0, f"{network} is compiled on the machine '{machine}'", done)
    first = open(programs["best"], "rb").read()
    for machine, program in programs.items():
        expect(open(program, "rb").read() == first,
               f"'best' and '{machine}' make the same program of {network}")
    inputs, losses = arrays(network, programs["best"]), {}
    for compiler, runner in directions:
        results = f"{folder}/results-{network}-{compiler}-{runner}"
        done = on(runner, "run", programs[compiler], "--function", "train", "--repeat", "2", *inputs,
                  "--output-dir", results)
        expect(done.returncode == 0, f"{network}, compiled on '{compiler}', runs on '{runner}'", done)
        if done.returncode == 0:
            losses[compiler, runner] = float(np.load(f"{results}/loss.npy"))
    here = losses.get(("best", "best"), float("nan"))
    print(network, {f"{a} -> {b}": loss for (a, b), loss in losses.items()})
    for (compiler, runner), loss in losses.items():
        expect(abs(loss - here) <= 5e-4 * abs(here),
               f"{network}, compiled on '{compiler}' and run on '{runner}', has the loss {here}, not {loss}")
    for program in programs.values():
        os.remove(program)

finish()
