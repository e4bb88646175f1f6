# SPDX-License-Identifier: Apache-2.0
"""Runs commands for benchmarks, and reads their output."""
import json
import subprocess
import sys


def size_options(sizes):
    """Returns the sizes of a model as options of the command cutset."""
    return [word for name, size in sizes.items() for word in ("--size", f"{name}={size}")]


def outputs_of(command):
    """Returns the standard output and the standard error of the command. Ends the benchmark with the error
    message of the command if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout, done.stderr


def output_of(command):
    """Returns the standard output of the command."""
    return outputs_of(command)[0]


def json_of(command):
    """Returns the JSON object that the command prints. Other lines may precede it."""
    output = output_of(command)
    if "{" not in output:
        sys.exit(f"{' '.join(command)} printed no JSON object:\n{output[-2000:]}")
    return json.loads(output[output.index("{"):])


def result_of_training(command, file):
    """Runs `command`, a `cutset train` with initial variables of another program, which writes its results to
    `file`. Returns the results. Ends the benchmark if a variable has no initial value."""
    errors = outputs_of([*command, "--json", file])[1]
    missing = [line for line in errors.splitlines() if "does not name" in line
               and "variables of the model" in line]
    if missing:
        sys.exit(f"the initial variables are not all of the model's: {missing[0]}")
    return json.load(open(file))
