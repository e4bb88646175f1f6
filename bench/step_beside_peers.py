#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the training step of seven built-in models in Cutset and in PyTorch, TensorFlow and JAX: its time,
the peak of memory, and the time from the start of the process to the end of the first step. The runs
alternate: each round runs everything once.

  bench/step_beside_peers.py CUTSET [--pythons python3,/path/to/python] [--models mlp,lenet] [--rounds 7]
      [--devices cpu:0 opencl:0] [--other CUTSET]

A framework runs in the first interpreter that can import it. If no interpreter can import it, it is left out,
and a line says so. TensorFlow and JAX run the networks of networks_of_keras.py. PyTorch runs the networks of
networks_of_torch.py, which also needs torchvision. Memory is the peak of the resident memory of the process
minus the peak of a process that only imports the framework, or only lists the devices. The tables have the
median, the smallest and the largest value of all rounds, and the ratio of the median to PyTorch's median. For
Cutset, the time to the first step begins when its libraries are loaded. For the other frameworks, it begins
before the interpreter starts. --other also measures a second build of Cutset."""
import argparse
import json
import os
import statistics
import subprocess
import time

from commands import json_of, size_options

MODELS = {  # sizes, samples per step, steps per run
    "mlp": ({"channels": 1, "image_size": 28, "classes": 10}, 128, 300),
    "lenet": ({"channels": 1, "image_size": 28, "classes": 10}, 64, 100),
    "alexnet": ({"channels": 3, "image_size": 224, "classes": 1000}, 16, 8),
    "resnet18": ({"channels": 3, "image_size": 224, "classes": 1000}, 8, 8),
    "lstm": ({"sequence_length": 128, "vocabulary": 8192, "width": 256, "layers": 1}, 32, 20),
    "youtube": ({"vocabulary": 100_000, "history": 50, "width": 64, "classes": 1000}, 256, 100),
    "transformer": ({"sequence_length": 128, "vocabulary": 8192, "layers": 4, "width": 256, "heads": 8},
                    8, 15),
}
# the modules that each needs
PEERS = {"torch": "torch, torchvision", "tensorflow": "tensorflow, keras", "jax": "jax, keras"}
QUANTITIES = (("step", "ms"), ("memory", "MiB"), ("first step", "s"))
here = os.path.dirname(os.path.abspath(__file__))
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("cutset")
ap.add_argument("--pythons", default="python3", help="interpreters, with commas between them")
ap.add_argument("--peers", default=",".join(PEERS))
ap.add_argument("--models", default=",".join(MODELS))
ap.add_argument("--devices", nargs="*", default=["cpu:0", "opencl:0"])
ap.add_argument("--other", metavar="CUTSET")
ap.add_argument("--rounds", type=int, default=7)
ap.add_argument("--threads", type=int, default=2)
ap.add_argument("--steps", type=int, help="steps per run; default: by model")
a = ap.parse_args()


def interpreters():
    """Returns, for each peer, an interpreter that can import it."""
    found = {}
    for peer in a.peers.split(","):
        for python in a.pythons.split(","):
            # Keras reads its backend from a variable, so that importing TensorFlow is not mistaken for JAX.
            if subprocess.run([python, "-c", f"import {PEERS[peer]}"], capture_output=True,
                              env=dict(os.environ, KERAS_BACKEND=peer)).returncode == 0:
                found[peer] = python
                break
        else:
            print(f"{peer} is left out: none of the interpreters imports {PEERS[peer]}")
    return found


def peer_run(peer, python, model, sizes, batch, steps):
    command = [python, f"{here}/peer_step.py", peer, model, json.dumps(sizes), "--batch", str(batch),
               "--steps", str(steps), "--threads", str(a.threads)]
    return json_of(command + ["--started", repr(time.time())])


def our_run(program, devices, model, sizes, batch, steps):
    command = [program, "train", model, "--devices", devices, "--dataset", "random", "--batch", str(batch),
               "--steps", str(steps), "--threads", str(a.threads), "--dropout", "0",
               "--no-evaluate", "--json", "-", *size_options(sizes)]
    return json_of(command)


def our_idle():
    """Returns the peak of the memory, in MiB, of a process that loads the backends and lists the devices."""
    child = subprocess.Popen([a.cutset, "devices"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit("cutset devices failed")
    return usage.ru_maxrss / 1024


def row(name, values, base):
    """Returns a line of a table: the median, the smallest and the largest value, and the ratio of the median
    to `base`."""
    middle = statistics.median(values)
    ratio = f"{middle / base:.2f}" if base else "-"
    return f"  {name:20} {middle:10.2f} {min(values):10.2f} {max(values):10.2f} {ratio:>10}"


peers = interpreters()
programs = {"cutset": a.cutset, **({"other": a.other} if a.other else {})}
idle = {peer: peer_run(peer, python, "", {}, 1, 0)["peak_rss_mib"] for peer, python in peers.items()}
idle["cutset"] = our_idle()
for model in a.models.split(","):
    sizes, batch, steps = MODELS[model]
    steps = a.steps or steps
    runs = {}  # by framework or devices: one list per quantity
    for _ in range(a.rounds):
        made = {peer: (peer_run(peer, python, model, sizes, batch, steps), idle[peer]) for peer,
                python in peers.items()}
        for name, program in programs.items():
            made.update({f"{name} {devices}": (our_run(program, devices, model, sizes, batch, steps),
                                               idle["cutset"]) for devices in a.devices})
        for name, (result, empty) in made.items():
            values = (result["step_ms"]["median"], result["peak_rss_mib"] - empty, result["first_step_s"])
            for known, value in zip(runs.setdefault(name, [[], [], []]), values):
                known.append(value)
    for q, (quantity, unit) in enumerate(QUANTITIES):
        print(f"{model}, batch {batch}: {quantity}, {unit}\n  {'':20} {'median':>10} {'min':>10} {'max':>10} "
              f"{'to torch':>10}", flush=True)
        base = statistics.median(runs["torch"][q]) if "torch" in runs else None
        for name, values in runs.items():
            print(row(name, values[q], base), flush=True)
