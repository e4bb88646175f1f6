#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the property test of other sizes has a case of each public function that returns tensors: of
each function of the headers in frontends/cpp/include/cutset and its folders, and of the generated
<cutset/ops.h>. Functions of the namespace `ops`, which only the compiler uses, need no case. The case of a
function of a namespace has a name such as "nn::dense" or "nn::dense: without a bias"."""
import glob
import os
import re
import sys

source, build = sys.argv[1:3]
RESULT = r"(?:Tensor|std::array<Tensor, \d>|std::vector<Tensor>|\w+Result|DynamicallyQuantized) (\w+)\("
NO_GRAPH = {"verify": "compares programs"}

functions = set()
headers = glob.glob(f"{source}/frontends/cpp/include/cutset/**/*.h",
                    recursive=True) + [f"{build}/generated/include/cutset/ops.h"]
for header in headers:
    space = ""
    for line in open(header, encoding="utf-8"):
        opened = re.match(r"namespace (?:cutset::)?(\w+) \{", line)
        if opened:
            space = "" if opened[1] == "cutset" else opened[1] + "::"
        elif line.startswith("}  // namespace nn"):
            space = ""
        found = re.match(RESULT, line)
        if found and space != "ops::" and found[1] not in NO_GRAPH:
            functions.add(space + found[1])
cases = set()
for path in glob.glob(f"{source}/tests/sizes/cases_of_*.cc"):
    text = open(path, encoding="utf-8").read()
    cases |= set(re.findall(r'"((?:\w+::)?\w+)(?::[\w ]+)?"', text))
    for prefix in re.findall(r'std::string\("((?:\w+::)?\w*):?"\)', text):
        cases |= {prefix} if not prefix.endswith("::") else {prefix + name
                                                             for name in re.findall(r'"(\w+)"', text)}
with open(f"{source}/ir/ops/elementwise/elementwise_bodies.inc", encoding="utf-8") as bodies:
    cases |= set(re.findall(r"^BODY\((\w+),", bodies.read(), re.M))  # cases_of_ops.cc reads this list
missing = sorted(functions - cases)
if len(functions) < 150:
    sys.exit(f"only {len(functions)} public functions were found in {len(headers)} headers")
if missing:
    sys.exit(f"tests/sizes has no case of: {', '.join(missing)}")
print(f"all {len(functions)} public functions have a case")
