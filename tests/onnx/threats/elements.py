# SPDX-License-Identifier: Apache-2.0
"""Initializers whose sizes, types and elements contradict each other."""
from threats.case import *  # noqa: F403


def with_weight(message):
    return model(graph([node("Relu", ["w"], ["y"])], [message]))


def cases():
    def of(name, dims, says="'w'", **options):
        return Case(name, with_weight(tensor("w", dims, **options)), says)
    yield of("sizes whose product exceeds 64 bits", [1 << 32, 1 << 32], raw=b"")
    yield of("sizes whose product wraps around to 0", [1 << 32, 1 << 32, 1 << 32], raw=b"")
    yield of("sizes whose product wraps around to 4", [(1 << 62) + 1, 4], raw=bytes(16))
    yield of("sizes whose bytes exceed 64 bits", [1 << 62], raw=b"")
    yield of("the largest size", [(1 << 63) - 1], raw=bytes(4))
    yield of("the smallest size", [-(1 << 63)], raw=bytes(4))
    yield of("a negative size", [-1], raw=bytes(4))
    yield of("two negative sizes", [-2, -2], raw=bytes(16))
    yield of("a size of 0 beside one that is too large", [0, 1 << 62, 1 << 62], raw=b"")
    yield of("a negative size beside 0", [0, -5], raw=b"")
    yield of("2^40 elements without data", [1 << 40], raw=False)
    yield of("2^40 elements with empty raw_data", [1 << 40], raw=b"")
    yield of("2^31 elements without data", [1 << 31], raw=False)
    yield of("one element without data", [1], raw=False)
    yield of("a scalar without data", [], raw=False)
    yield of("raw_data that is one byte short", [4], raw=bytes(15))
    yield of("raw_data that is one byte long", [4], raw=bytes(17))
    yield of("raw_data for no elements", [0], raw=bytes(4))
    yield of("raw_data of half an element", [1], raw=bytes(2))
    yield of("100 dimensions", [1] * 100, raw=bytes(4))
    yield of("100000 dimensions", [1] * 100000, raw=bytes(4))
    both = b"".join(real(4, 1.0) for _ in range(4))
    yield of("raw_data and float_data", [4], raw=bytes(16), more=both)
    yield of("raw_data and more float_data", [4], raw=bytes(16), more=both * 4)
    yield of("empty raw_data and float_data", [4], raw=b"", more=both)
    yield of("float_data that is short", [5], raw=False, more=both)
    yield of("float_data that is long", [3], raw=False, more=both)
    yield of("float_data and int64_data", [4], raw=False,
             more=both + b"".join(number(7, 1) for _ in range(4)))
    yield of("float_data of a type of whole numbers", [4], raw=False, kind=INT64, more=both)
    yield of("int32_data of floats", [4], raw=False, more=b"".join(number(5, 1) for _ in range(4)))
    yield of("bytes out of range in int32_data", [2], raw=False, kind=UINT8,
             more=number(5, 256) + number(5, -1))
    yield of("halves out of range in int32_data", [1], raw=False, kind=FLOAT16, more=number(5, 1 << 20))
    for kind in (0, 99, -1, (1 << 31) - 1, 1 << 32):
        yield of(f"the element type {kind}", [4], kind=kind, raw=bytes(16), says="element type")
    yield of("an element type of complex numbers", [2], kind=14, raw=bytes(16), says="COMPLEX64")
    yield of("an element type of 4 bits", [2], kind=21, raw=bytes(1), says="UINT4")
    yield of("text", [1], kind=STRING, raw=False, more=text(6, "a"), says="STRING")
    yield of("text in raw_data", [1], kind=STRING, raw=b"a", says="STRING")
    yield of("an element type that is missing", [1], raw=bytes(4), more=b"", kind=0, says="element type")
    yield of("one segment of a tensor", [4], more=text(3, number(1, 0) + number(2, 4)))
    yield of("a segment of 2^60 elements", [4], more=text(3, number(1, 0) + number(2, 1 << 60)))
    sparse = text(1, tensor("w", [1])) + text(2, tensor("i", [1], [1 << 50], INT64)) + number(3, 1 << 51)
    yield Case("a sparse initializer", model(graph([node("Relu", ["w"], ["y"])], more=text(15, sparse))),
               "sparse")
    yield Case("a sparse initializer without fields",
               model(graph([node("Relu", ["w"], ["y"])], more=text(15, b""))), "sparse")
    yield Case("a sparse attribute",
               one_node("Constant", [], {"sparse_value": Prepared(text(22, sparse) + number(20, 11))}),
               "Constant")
    bad = tensor("w", [1 << 40], raw=b"")
    yield Case("a constant of 2^40 elements", one_node("Constant", [], {"value": bad}), "'value'")
    yield Case("a constant with a negative size",
               one_node("Constant", [], {"value": tensor("w", [-4], raw=bytes(16))}), "'value'")
    yield Case("a constant of text", one_node("Constant", [], {"value_string": "a"}), "Constant")
    yield Case("a constant of texts", one_node("Constant", [], {"value_strings": ["a", "b"]}), "Constant")
    yield Case("a constant without a value", one_node("Constant", []), "Constant")
    yield Case("a constant with two values", one_node("Constant", [], {"value_int": 1, "value_float": 2.0}),
               "Constant")
    many = [tensor(f"w{i}", [1 << 28], raw=b"") for i in range(1000)]
    yield Case("1000 initializers of 1 GiB without data", model(graph([node("Relu", ["w0"], ["y"])], many)),
               "'w0'")
