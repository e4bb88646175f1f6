"""What several benchmarks need to run commands such as cutset."""
import json
import subprocess
import sys


def size_options(sizes):
    """The sizes of a model as options."""
    return [word for name, size in sizes.items() for word in ("--size", f"{name}={size}")]


def output_of(command):
    """What the command prints. Ends the benchmark with the error message of the command if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def json_of(command):
    """The JSON object that the command prints, before which there may be other lines."""
    output = output_of(command)
    return json.loads(output[output.index("{"):])
