#!/usr/bin/env python3
"""Tests that the code in docs/api.md compiles. All code blocks together form one program: the lines that begin with
"#include" or "using" are placed before main, and all others are the body of main."""
import os
import re
import subprocess
import sys
import tempfile
import textwrap

source, build = map(os.path.abspath, sys.argv[1:3])
compiler = sys.argv[3]
text = open(f"{source}/docs/api.md", encoding="utf-8").read()
blocks = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", text, re.M)
assert len(blocks) > 12, f"only {len(blocks)} blocks of code were found"
lines = [line for block in blocks for line in textwrap.dedent(block).splitlines()]
head = [line for line in lines if re.match(r"#include|using ", line)]
body = [line for line in lines if not re.match(r"#include|using ", line)]
with tempfile.TemporaryDirectory() as folder:
    open(f"{folder}/api.cc", "w").write("\n".join([*head, "int main() {", *body, "}", ""]))
    flags = ["-std=c++20", f"-I{source}", f"-I{source}/frontends/cpp/include", f"-I{source}/frontends/onnx/include", f"-I{build}/generated", f"-I{build}/generated/include"]
    subprocess.run([compiler, *flags, "-fsyntax-only", f"{folder}/api.cc"], check=True)
print(f"{len(blocks)} blocks of code with {len(lines)} lines compile")
