#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every op has an example in its .td, and the example is IR that cutset-opt parses and verifies.

    examples.py SOURCE BUILD
"""
import json
import pathlib
import re
import subprocess
import sys

source, build = map(pathlib.Path, sys.argv[1:3])
functions, failures = {}, []
for path in sorted(build.glob("generated/ir/*/*/*.json")):
    if not (source / path.parent.relative_to(build / "generated")).is_dir():
        continue  # a file that an older version has left in this build folder
    records = json.loads(path.read_text())
    for name in records["!instanceof"]["Compute"]:
        op, example = records[name]["opName"], " ".join(records[name]["example"].split())
        match = re.fullmatch(r"%[^=]+ = cutset\.(\w+) (%\w+.* : .*)", example)
        if not match or match[1] != op:
            failures.append(f"{op}: the example is not one line with the op: '{example}'")
            continue
        # in the same order
        operands, types = re.findall(r"%\w+", match[2]), re.findall(r"tensor<[^>]*>", match[2])
        if len(operands) != len(types):
            failures.append(f"{op}: the example has {len(operands)} operands and {len(types)} types")
            continue
        arguments = ", ".join(f"{operand}: {type}" for operand, type in zip(operands, types))
        functions[op] = f"func.func @{op}({arguments}) {{\n  {example}\n  return\n}}\n"
for op, text in functions.items():
    done = subprocess.run([build / "bin/cutset-opt", "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        failures.append(f"{op}: cutset-opt refuses the example: {done.stderr.strip()}")
print(f"{len(functions)} examples")
print("\n".join(failures))
sys.exit(bool(failures) or len(functions) < 40)
