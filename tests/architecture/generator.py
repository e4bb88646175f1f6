#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the generators.
- ir/generate/generate.py on op folders: its output for a correct folder, and its errors for wrong folders (an
  attribute without a flat form, a family whose members differ, a summary that begins with a small letter,
  operands in an order that cannot be told apart, no op).
- The same on structs of optimizers: their declarations, conversions and documentation, and members that do
  not fit the op.
- passes/generate.py on options: its output for correct options, and its errors for a default out of range and
  for a missing text."""
import os
import subprocess
import sys
import tempfile

source, build = sys.argv[1:3]
tblgen = "llvm-tblgen-22"
include = next(p for p in ("/usr/lib/llvm-22/include",) if os.path.isdir(p))


def generate(td, mode="folder"):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/ir/ops/sample")
        open(f"{folder}/ir/ops/sample/sample.td", "w").write('include "ir/dialect/base.td"\n' + td)
        subprocess.run([tblgen, "-dump-json", "-I", source, "-I", include,
                        f"{folder}/ir/ops/sample/sample.td", "-o", f"{folder}/sample.json"], check=True)
        json = f"{folder}/sample.json"
        what = {"folder": [json, "ir/ops/sample"], "all": [f"{json}:ir/ops/sample"],
                "library": ["mine", f"{json}:ir/ops/sample"]}[mode]
        done = subprocess.run([sys.executable, f"{source}/ir/generate/generate.py", mode, *what,
                               f"{folder}/out"], capture_output=True, text=True)
        files = {}
        for at, _, names in os.walk(f"{folder}/out"):
            for n in names:
                files[n] = open(os.path.join(at, n)).read()
        return done.returncode, done.stderr, files


def op(name, attributes, extra="", inputs="AnyRankedTensor:$x", traits=""):
    return (f'def Cutset_{name.title()}Op : Compute<"{name}", [{traits}]> {{ let summary = "A sample"; let '
            f'inputs = (ins {inputs}); let attributes = (ins {attributes}); {extra} }}\n')


code, error, files = generate(op("sample", 'I64Attr:$size, DefaultValuedAttr<DenseI64ArrayAttr, "{1, '
                                           '2}">:$steps, DefaultValuedAttr<BoolAttr, "true">:$on'))
assert code == 0, error
assert "int64_t size;\n  cutset_i64s steps;\n  uint8_t on;" in files["sample_attrs.h"], files[
    "sample_attrs.h"]
assert 'AttrKind::kI64, offsetof(SampleAttrs, size), true' in files["sample_info.cc"]
assert "IntList{1, 2}" in files["sample_info.cc"]
assert "OpCases cases();" in files["sample_rules.h"]

code, error, files = generate(op("sample", 'DefaultValuedStrAttr<StrAttr, "ij">:$text, '
                                           'DefaultValuedAttr<DenseF64ArrayAttr, "{0.5, 2}">:$scales, '
                                           'DefaultValuedStrAttr<Word<["constant", "two_words"]>, '
                                           '"two_words">:$mode, Word<["a", "b"]>:$must'))
assert code == 0, error
assert "cutset_string text;\n  cutset_f64s scales;\n  int32_t mode;\n  int32_t must;" in files[
    "sample_attrs.h"], files["sample_attrs.h"]
assert "enum { CUTSET_SAMPLE_MODE_CONSTANT = 0, CUTSET_SAMPLE_MODE_TWO_WORDS = 1 };" in files[
    "sample_attrs.h"], files["sample_attrs.h"]
assert 'AttrValue(std::string("ij"))' in files["sample_info.cc"] and "FloatList{0.5, 2}" in files[
    "sample_info.cc"], files["sample_info.cc"]
assert ('AttrKind::kEnum, offsetof(SampleAttrs, mode), false, AttrValue(std::string("two_words")), '
        '{"constant", "two_words"}' in files["sample_info.cc"])
assert "AttrKind::kEnum, offsetof(SampleAttrs, must), true" in files["sample_info.cc"]

code, error, _ = generate(op("sample", 'DefaultValuedStrAttr<Word<["a", "b"]>, "c">:$mode'))
assert code != 0 and "sample: the default 'c' of attribute 'mode' is not one of its words" in error, error

several = "AnyRankedTensor:$x, Optional<AnyRankedTensor>:$low, Variadic<AnyRankedTensor>:$parts"
code, error, files = generate(op("sample", "I64Attr:$axis",
                                 "let results = (outs Variadic<AnyRankedTensor>:$slices);", several,
                                 "AttrSizedOperandSegments"))
assert code == 0, error
assert "int64_t axis;\n  cutset_i64s operand_segments;" in files["sample_attrs.h"], files["sample_attrs.h"]
assert "OperandRange x, low, parts;" in files[
    "sample_attrs.h"] and "attributes.operand_segments.data[2]" in files["sample_attrs.h"]
assert ('{"low", OperandInfo::Kind::kOptional, false}, {"parts", OperandInfo::Kind::kVariadic, false}'
        in files["sample_info.cc"])
assert '{"slices"}, true,' in files["sample_info.cc"], files["sample_info.cc"]
assert "properties.operandSegmentSizes" in files["sample_mlir.h"]
assert "GraphValues gradient(GradientBuilder&, const Attrs&, const Differentiated&);" in files[
    "sample_rules.h"]

for inputs, message in [
    ("AnyRankedTensor:$x, Optional<AnyRankedTensor>:$low, AnyRankedTensor:$like",
     "all operands before it must be required"),
    ("AnyRankedTensor:$x, Optional<AnyRankedTensor>:$like, AnyRankedTensor:$y", "must be the last operand"),
]:
    code, error, _ = generate(op("sample", "", "", inputs))
    assert code != 0 and "sample: 'like' is read for its type only" in error and message in error, error

code, error, _ = generate(op("sample", "", "let updates = 1;",
                             "AnyRankedTensor:$x, Optional<AnyRankedTensor>:$y"))
assert code != 0 and "sample: all operands of an op with updates must be required" in error, error

results = "let results = (outs AnyRankedTensor:$first, Variadic<AnyRankedTensor>:$others);"
code, error, _ = generate(op("sample", "", results))
assert code != 0 and "sample: a variadic result must be the only result" in error, error

code, error, _ = generate(op("sample", "UnitAttr:$text"))
assert code != 0 and "sample: attribute 'text'" in error and "no flat form" in error, error

code, error, _ = generate(op("one", "I64Attr:$a", 'let family = "f";')
                          + op("two", "F64Attr:$a", 'let family = "f";'))
assert code != 0 and "family 'f' have different attributes" in error, error

code, error, _ = generate(op("sample", "").replace("A sample", "x + y"))
assert code != 0 and "sample: the summary must begin with a capital letter" in error, error

code, error, _ = generate("")
assert code != 0 and "no op in its .td" in error, error
# --- the structs of optimizers
def optimizer(members, extra="", attributes="", description="Steps:\n      w -= rate g."):
    scalars = "".join(f", AnyRankedTensor:${name}" for name in ("speed", "rho"))
    return (f'def Stepper : OptimizerStruct<"stepper"> {{ let members = [{members}]; {extra}\n'
            f'  let description = [{{\n    {description}\n  }}]; }}\n'
            + op("sample", attributes, "let updates = 1; let optimizers = [Stepper]; let results = (outs "
                                       "AnyRankedTensor:$y);",
                 "AnyRankedTensor:$w, AnyRankedTensor:$gradient" + scalars))


rate, rho = 'Number<"speed", "0.5", "the step size; 0: no step">', 'Decay<"rho", "0.25", "a decay">'
first = 'Number<"first", "2", "a first value", "1", "3">'
other = 'OpFlag<"other", "other_sample", "chooses the other op">'
attributes = 'DefaultValuedAttr<F64Attr, "0">:$first, DefaultValuedAttr<BoolAttr, "false">:$on'
whole = optimizer(f"{rho}, {first}, {rate}, {other}", 'let attributes = ["on = true"];', attributes)
code, error, files = generate(whole, "all")
assert code == 0, error
assert """// Steps:
//   w -= rate g.
struct Stepper {
  double rho = 0.25;   // a decay, from 0 to below 1
  double first = 2;    // a first value, from 1 to below 3; no hyper-parameter
  double speed = 0.5;  // the step size, at least 0; 0: no step
  bool other = false;  // chooses the other op
  // Converts the struct for Graph::minimize.
  operator Optimizer() const;
};
""" in files["optimizer_structs.h"], files["optimizer_structs.h"]
conversion = """Stepper::operator Optimizer() const {
  return {other ? "other_sample" : "sample",
          {{"speed", speed},
           {"rho", rho, 0, 1}},
          {{"on", true}, {"first", first}},
          !(std::isfinite(first) && first >= 1 && first < 3) ? "first must be finite and at least 1 and """ \
             """below 3" : ""};
}
"""
registration = 'registered_stepper("stepper", Stepper{});'
assert conversion in files["optimizer_conversions.cc"], files["optimizer_conversions.cc"]
assert registration in files["optimizer_conversions.cc"], files["optimizer_conversions.cc"]
for line in ("| `Stepper` | [sample](#sample) | `speed` 0.5, `rho` 0.25 | `first` 2, `other` false |  |",
             "| `--rho` | from 0 to below 1 | stepper: a decay (default: 0.25) |",
             "Steps:\n\n```text\nw -= rate g.\n```\n"):
    assert line in files["ops.md"], files["ops.md"]

code, error, files = generate(whole, "library")
assert code == 0, error
assert "namespace mine {\nusing cutset::Optimizer;\n\n// Steps:" in files["ops.h"], files["ops.h"]
assert conversion in files["ops.cc"] and registration not in files["ops.cc"], files["ops.cc"]
page = files["ops.md"]
assert "The struct is `Stepper`:" in page and "command line" not in page, page

code, error, files = generate(optimizer(f"{rate}, {rho}", "let handwrittenConversion = 1;"), "all")
assert code == 0, error
assert "operator Optimizer() const {" not in files["optimizer_conversions.cc"]
assert registration in files["optimizer_conversions.cc"], files["optimizer_conversions.cc"]

for td, message in [
    (optimizer(rate), "lacks the hyper-parameter 'rho'"),
    (optimizer(f"{rate}, {rho}, {first}"), "has a member 'first', but the op has no hyper-parameter and no "
                                           "attribute of type double"),
    (optimizer(f'{rate}, {rho}, Flag<"first", "a flag">', "", attributes),
     "has a member 'first', but the op has no hyper-parameter and no attribute of type bool"),
    (optimizer(f"{rate}, {rho}", 'let attributes = ["off = true"];', attributes), "sets 'off', which is no"),
    (optimizer(f"{rate}, {rho}", "", "", "long " * 30), "has a line of more than 110 columns in C++"),
    (optimizer(f"{rate}, {rho}", "", "", ""), "needs a description"),
]:
    code, error, _ = generate(td)
    assert code != 0 and "sample: the optimizer 'Stepper'" in error and message in error, error


# --- options
def options(td):
    """The files that passes/generate.py makes of options, and its error."""
    with tempfile.TemporaryDirectory() as folder:
        head = open(f"{source}/passes/options.td").read().split("\ndef ")[0]
        open(f"{folder}/options.td", "w").write(head + "\n" + td + "#endif\n")
        for path, name in ((f"{folder}/options.td", "options"), (f"{source}/passes/passes.td", "passes")):
            subprocess.run([tblgen, "-dump-json", "-I", source, "-I", include, path, "-o",
                            f"{folder}/{name}.json"], check=True)
        done = subprocess.run([sys.executable, f"{source}/passes/generate.py", f"{folder}/passes.json",
                               f"{folder}/options.json", f"{folder}/out"], capture_output=True, text=True)
        paths = ("passes/copied_options.inc", "passes/create_passes.inc", "docs/options.md")
        return done.stderr, [open(f"{folder}/out/{path}").read() for path in paths if not done.returncode]


number = ('def Most : Cutset_Number<"most_rows", 96, 0, !shl(1, 12)> {{ let summary = "rows"; '
          'let description = "{}"; }}\n')
flag = 'def Fast : Cutset_Flag<"fast", 1> { let summary = "slow"; let description = "is slow"; }\n'
hidden = 'def Seen : Cutset_Flag<"seen", 0> { let inCommands = 0; let summary = "sees"; }\n'
error, (macros, declared, page) = options(number.format("reads rows") + flag + hidden)
assert not error, error
assert 'CUTSET_NUMBER(most_rows, int64_t{96}, int64_t{0}, int64_t{4096}, "rows")' in macros, macros
assert ('CUTSET_FLAG(fast, true, true, "slow")' in macros and 'CUTSET_FLAG(seen, false, false, "sees")'
        in macros), macros
assert "CreatePass create_make_functions;\n" in declared, declared
assert "- `--most-rows` (0 to 2^12; default: 96): reads rows.\n" in page, page
assert "- `--no-fast`: is slow.\n" in page and "seen" not in page, page
error, _ = options(number.format("reads rows").replace("96", "-1") + flag)
assert "the default -1 of the option most_rows is not from 0 to 4096" in error, error
error, _ = options(number.format("") + flag)
assert "the option most_rows needs a summary and, for the commands of cutset, a description" in error, error
print("ok")
