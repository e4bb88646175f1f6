#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules for includes and files.

Every #include must be allowed by rules.json. No file includes a backend, a vendor's header is included by at
most one backend, no file of passes/ names a compute op, no file has more than 350 lines, and no folder more
than 25 stems of file names."""
import json
import os
import re
import sys

source, build = sys.argv[1:3]
rules = json.load(open(os.path.join(source, "tests/architecture/rules.json")))
SYSTEM = re.compile(
    r"^[a-z_0-9]+$|^(sys|CL)/|^(unistd|fcntl|dlfcn|execinfo|poll|pthread|spawn|stdlib|stddef|stdint|string|"
    r"signal|elf)\.h$")
LINES, STEMS = 350, 25
# Folders that hold one file per entry of a list: one per kernel, per family of ops, per header or per script.
LISTS = ("backends/portable/kernels", "bench", "frontends/cpp/include/cutset",
         "frontends/onnx/import/converters",
         "tests/end_to_end")
# These files of the passes `split` and `shard` may be longer, until the passes are rewritten for the mesh.
LONG = ("passes/split/split_values.cc", "passes/shard/sharding_plan.cc")
problems = []
stems = {}  # folder -> the stems of its files
vendors = {}  # header's first component -> the backends that include it


def tree(folder, endings):
    for at, folders, files in os.walk(os.path.join(source, folder)):
        folders[:] = sorted(f for f in folders if f not in ("build", ".git"))
        for name in sorted(files):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(at, name), source)


def rule_of(path):
    if re.match(r"ir/structural/[^/]+/", path):
        return rules["ir/structural/*"]
    if path.startswith("backends/"):
        own = "/".join(path.split("/")[:2])
        rule = rules.get(own, rules["backends/*"])
        return {"ours": [own if a == "backends/*" else a for a in rule["ours"]], "vendor": []}
    # a phase may include passes/support, and no other phase
    if path.startswith("passes/") and path.count("/") > 1:
        own = "/".join(path.split("/")[:2])
        rule = rules["passes/*"]
        return {"ours": [own if a == "passes/*" else a for a in rule["ours"]]
                + ["passes/passes.h", "passes/passes.h.inc"], "vendor": rule["vendor"]}
    best = max((r for r in rules if path.startswith(r + "/")), key=len, default=None)
    return rules[best] if best else None


def check_includes(path):
    rule = rule_of(path)
    if rule is None:
        return
    # the rewrite file of an op may include MLIR: the rule "ir" holds for it
    in_mlir = path.endswith("_rewrite.cc")
    is_test = path.endswith("_test.cc")
    allowed = rules["ir"] if in_mlir else rules["tests"] if is_test and not path.startswith(
        "tests/") else rule
    if is_test and path.startswith("backends/"):  # a test beside its source may include the source's headers
        allowed = {**allowed, "ours": allowed["ours"] + ["/".join(path.split("/")[:2])]}
    for number, line in enumerate(open(os.path.join(source, path), encoding="utf-8"), 1):
        match = re.match(r'\s*#include\s+([<"])([^>"]+)', line)
        if not match:
            continue
        kind, name = match.groups()
        where = f"{path}:{number}: {name}"
        first = name.split("/")[0]
        ours = first in ("ir", "graph", "runtime", "passes", "backends", "frontends", "tests", "examples",
                         "bench", "cutset")
        if ours:
            if name.startswith("ir/structural/") and name.count("/") == 2 and path.startswith(
                ("ir/ops", "backends")):
                problems.append(
                    f"{where}: this header contains MLIR, which ops and backends must not include")
            if not any(name == a or name.startswith(a + "/") for a in allowed["ours"]):
                problems.append(f"{where}: rules.json does not allow this include")
        elif path.startswith("backends/") and not is_test and (kind == '"' or not SYSTEM.match(name)
                                                               or first == "CL"):
            if any(first.startswith(v) for r in rules.values() for v in r["vendor"]):
                problems.append(f"{where}: rules.json does not allow this include")
            vendors.setdefault(first.split(".")[0], set()).add(path.split("/")[1])
        elif kind == '"' and not any(first.startswith(v) for v in allowed["vendor"]):
            problems.append(f"{where}: rules.json does not allow this include")
        elif kind == "<" and not SYSTEM.match(name) and not any(name == v or first == v
                                                                or first.startswith(v + ".")
                                                                for v in allowed["vendor"]):
            problems.append(f"{where}: rules.json does not allow this include")


def op_names():
    names = set()
    for td in tree("ir/ops", (".td",)):
        text = open(os.path.join(source, td)).read()
        names |= set(re.findall(r'def Cutset_\w+ *: *\w+<"(\w+)"', text))
    return names


for folder in ("ir", "graph", "runtime", "passes", "backends", "frontends", "examples", "tests", "bench"):
    for path in tree(folder, (".h", ".cc", ".inc", ".c")):
        check_includes(path)
        stem = os.path.basename(path).split(".")[0]
        stems.setdefault(os.path.dirname(path), set()).add(stem.removesuffix("_test"))
        lines = sum(1 for _ in open(os.path.join(source, path), encoding="utf-8"))
        if lines > LINES and path not in LONG:
            problems.append(f"{path}: {lines} lines, more than {LINES}")
for folder, names in stems.items():
    if len(names) > STEMS and folder not in LISTS:
        problems.append(f"{folder}: {len(names)} stems, more than {STEMS}; divide it by purpose")

for vendor, backends in vendors.items():
    if len(backends) > 1:
        problems.append(f"the vendor header {vendor} is included by several backends: "
                        f"{', '.join(sorted(backends))}")

ops = op_names()
assert len(ops) > 30, "the names of the compute ops were not found"
for path in tree("passes", (".h", ".cc")):
    for number, line in enumerate(open(os.path.join(source, path), encoding="utf-8"), 1):
        code = line.split("//")[0]
        for name in re.findall(r'"(?:cutset\.)?(\w+)"', code):
            if name in ops:
                problems.append(f"{path}:{number}: the compute op '{name}' is named")

for p in problems:
    print(p)
print(f"{len(problems)} problems")
sys.exit(bool(problems))
