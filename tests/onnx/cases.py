#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the cases of ONNX's backend node tests, and the list of the cases that this project counts.

Usage: cases.py DEPS write FOLDER | cases.py DEPS list | cases.py DEPS check LIST | cases.py DEPS attributes
SOURCE

DEPS is the folder into which third_party/setup.sh unpacks wheels. `write` writes every counted case to
FOLDER/NAME: model.onnx, input_0.pb, input_1.pb, ..., output_0.pb, ...; the files are messages of ONNX. The
file refused.onnx is the same model with an attribute that no op has. `list` prints the names of the counted
cases, and `check` compares the file LIST with them. `attributes` fails if an op that a converter in the
folder SOURCE converts has an attribute, in any version, that no converter names.

A case is counted if it computes plain tensors from plain tensors, the shapes of its results do not depend on
data, and its expected values are exact up to its tolerance. `reason_not_to_count` is this rule."""
import glob
import os
import re
import shutil
import sys
import warnings

command = sys.argv[2]
for name in ("onnx", "numpy", "protobuf", "ml_dtypes", "typing_extensions"):
    sys.path.insert(0, os.path.join(sys.argv[1], name))
warnings.simplefilter("ignore")  # the cases overflow on purpose
import numpy
from onnx import ModelProto, TensorProto, defs, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

PLAIN = {TensorProto.DataType.Value(name) for name in (
    "FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16",
    "UINT32", "UINT64")}
DATA_DEPENDENT = {"Compress", "NonMaxSuppression", "NonZero", "Unique"}
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
          "RandomUniformLike"}
OPTIONAL = {"OptionalGetElement", "OptionalHasElement"}
# NumPy computes the expected values in f32. Where the result is 0, they are 1.9e-7, an error of rounding that
# exceeds the tolerance.
ROUNDED = {"test_dft_inverse", "test_dft_inverse_opset19"}
TOLERANCE = (1e-3, 1e-7)  # relative and absolute; nodes.cc has the same numbers


def reason_not_to_count(case):
    """Returns the reason why a case is not counted, or None."""
    if case.name in ROUNDED:
        return "the expected values differ from the exact ones by more than the tolerance"
    for value in list(case.model.graph.input) + list(case.model.graph.output):
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            return f"an input or a result is a {kind.removesuffix('_type')} and not a tensor"
        if value.type.tensor_type.elem_type not in PLAIN:
            return "an element type is text or has fewer than 16 bits and is not an integer of 8 bits"
    for node in case.model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            return f"the domain {node.domain} is not that of tensors and neural networks"
        for ops, why in ((DATA_DEPENDENT, "the shape of a result depends on data"),
                         (RANDOM, "the results are random"), (OPTIONAL, "optional values"),
                         ({"ImageDecoder"}, "the input is a compressed file")):
            if node.op_type in ops:
                return why
    return None


def counted():
    # Most cases draw their data from NumPy's global generator, so the seed makes them the same in each run.
    numpy.random.seed(20261125)
    cases = [case for case in collect_testcases(None) if reason_not_to_count(case) is None]
    for case in cases:
        assert (case.rtol, case.atol) == TOLERANCE and len(case.data_sets) == 1, case.name
    return sorted(cases, key=lambda case: case.name)


def message(value, info):
    if isinstance(value, TensorProto):
        return value.SerializeToString()
    return numpy_helper.from_array(numpy.asarray(value), info.name).SerializeToString()


def write(case, folder):
    os.makedirs(folder)
    refused = ModelProto()
    refused.CopyFrom(case.model)
    refused.graph.node[-1].attribute.append(helper.make_attribute("attribute_of_no_op", 1))
    files = {"model.onnx": case.model.SerializeToString(), "refused.onnx": refused.SerializeToString()}
    for kind, infos, values in zip(("input", "output"), (case.model.graph.input, case.model.graph.output),
                                   case.data_sets[0]):
        assert len(infos) == len(values), case.name
        for i, (info, value) in enumerate(zip(infos, values)):
            files[f"{kind}_{i}.pb"] = message(value, info)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def attributes_without_reader(folder):
    """Yields the attributes of ops with a converter, in all versions, whose names are in no source file."""
    def texts_in(pattern):
        paths = glob.glob(os.path.join(folder, pattern), recursive=True)
        sources = [open(path, encoding="utf-8").read() for path in paths if not path.endswith("_test.cc")]
        return set(re.findall(r'"([^"\n]*)"', "".join(sources)))
    ops = texts_in("converters/*.cc")
    texts = texts_in("**/*.cc")
    converted = [schema for schema in defs.get_all_schemas_with_history() if not schema.domain
                 and schema.name in ops]
    assert len({schema.name for schema in converted}) > 150
    for schema in converted:
        for name in schema.attributes:
            if name not in texts:
                yield (f"{schema.name}, version {schema.since_version}: "
                       f"no converter names the attribute {name}")


if command == "attributes":
    problems = sorted(set(attributes_without_reader(sys.argv[3])))
    print("\n".join(problems))
    sys.exit(bool(problems))
elif command == "list":
    for case in counted():
        print(case.name)
elif command == "check":
    listed, now = open(sys.argv[3], encoding="utf-8").read().split(), [case.name for case in counted()]
    for name in sorted(set(listed) ^ set(now)):
        print(f"{name} is {'listed, but not counted' if name in listed else 'counted, but not listed'}")
    sys.exit(listed != now)
else:
    shutil.rmtree(sys.argv[3], ignore_errors=True)
    for case in counted():
        write(case, os.path.join(sys.argv[3], case.name))
