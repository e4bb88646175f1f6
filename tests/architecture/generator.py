#!/usr/bin/env python3
"""Tests ir/generate/generate.py on op folders: its output for a correct one, and its errors for wrong ones (an attribute
without a flat form, a family whose members differ, a summary that does not begin with a capital letter, no op)."""
import os
import subprocess
import sys
import tempfile

source, build = sys.argv[1:3]
tblgen = "llvm-tblgen-22"
include = next(p for p in ("/usr/lib/llvm-22/include",) if os.path.isdir(p))


def generate(td):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/ir/ops/sample")
        open(f"{folder}/ir/ops/sample/sample.td", "w").write('include "ir/dialect/base.td"\n' + td)
        subprocess.run([tblgen, "-dump-json", "-I", source, "-I", include, f"{folder}/ir/ops/sample/sample.td", "-o", f"{folder}/sample.json"], check=True)
        done = subprocess.run([sys.executable, f"{source}/ir/generate/generate.py", "folder", f"{folder}/sample.json", "ir/ops/sample", f"{folder}/out"],
                              capture_output=True, text=True)
        files = {}
        for at, _, names in os.walk(f"{folder}/out"):
            for n in names:
                files[n] = open(os.path.join(at, n)).read()
        return done.returncode, done.stderr, files


def op(name, attributes, extra=""):
    return f'def Cutset_{name.title()}Op : Compute<"{name}"> {{ let summary = "A sample"; let inputs = (ins AnyRankedTensor:$x); let attributes = (ins {attributes}); {extra} }}\n'


code, error, files = generate(op("sample", 'I64Attr:$size, DefaultValuedAttr<DenseI64ArrayAttr, "{1, 2}">:$steps, DefaultValuedAttr<BoolAttr, "true">:$on'))
assert code == 0, error
assert "int64_t size;\n  cutset_i64s steps;\n  uint8_t on;" in files["sample_attrs.h"], files["sample_attrs.h"]
assert 'AttrKind::kI64, offsetof(SampleAttrs, size), true' in files["sample_info.cc"]
assert "IntList{1, 2}" in files["sample_info.cc"]
assert "OpCases cases();" in files["sample_rules.h"]

code, error, _ = generate(op("sample", "StrAttr:$text"))
assert code != 0 and "sample: attribute 'text'" in error and "no flat form" in error, error

code, error, _ = generate(op("one", "I64Attr:$a", 'let family = "f";') + op("two", "F64Attr:$a", 'let family = "f";'))
assert code != 0 and "family 'f' have different attributes" in error, error

code, error, _ = generate(op("sample", "").replace("A sample", "x + y"))
assert code != 0 and "sample: the summary must begin with a capital letter" in error, error

code, error, _ = generate("")
assert code != 0 and "no op in its .td" in error, error
print("ok")
