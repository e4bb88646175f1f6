# SPDX-License-Identifier: Apache-2.0
"""Messages of ONNX as bytes of Protocol Buffers, field by field, so that they may be malformed.

The functions know the numbers of the fields in onnx-ml.proto, and check nothing. `messages.py` does not need
the package onnx, which refuses to write most of the messages of the tests."""
import struct

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 8, 9, 10, 11


def varint(value):
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(field, value):
    return varint(field << 3) + varint(value)


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def text(field, value):
    """A field of text, of bytes or of a message."""
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, dims, data=None, kind=FLOAT, raw=None, more=b""):
    """A TensorProto. The elements are `raw`, or as many zeros as the dimensions ask for if neither `raw` nor
    `data` is given. `data` is a list of whole numbers of 64 bits or of floats."""
    message = b"".join(number(1, d) for d in dims) + number(2, kind) + text(8, name)
    if raw is None and data is not None:
        raw = struct.pack(f"<{len(data)}{'f' if kind == FLOAT else 'q'}", *data)
    if raw is None:
        count = 1
        for d in dims:
            count *= d
        raw = bytes({FLOAT: 4, INT32: 4, INT64: 8, DOUBLE: 8, FLOAT16: 2}.get(kind, 1) * count)
    return message + (text(9, raw) if raw is not False else b"") + more


def attribute(name, value):
    """An AttributeProto of the kind of the value: a number, a text, bytes with a TensorProto, a list, or a
    prepared message (Prepared)."""
    head = text(1, name)
    if isinstance(value, Prepared):
        return head + value.message
    if isinstance(value, bool) or isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return head + real(2, value) + number(20, 1)
    if isinstance(value, str):
        return head + text(4, value) + number(20, 3)
    if isinstance(value, bytes):
        return head + text(5, value) + number(20, 4)
    if value and isinstance(value[0], float):
        return head + b"".join(real(7, v) for v in value) + number(20, 6)
    if value and isinstance(value[0], str):
        return head + b"".join(text(9, v) for v in value) + number(20, 8)
    return head + b"".join(number(8, v) for v in value) + number(20, 7)


class Prepared:
    """The fields of an AttributeProto after its name."""
    def __init__(self, message):
        self.message = message


def graph_attribute(graph_message):
    return Prepared(text(6, graph_message) + number(20, 5))


def node(op, inputs, outputs, attributes=None, name="", more=b""):
    return (b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs)
            + (text(3, name) if name else b"") + text(4, op) +
            b"".join(text(5, attribute(k, v)) for k, v in (attributes or {}).items()) + more)


def value(name, dims, kind=FLOAT):
    """A ValueInfoProto. A dimension that is a text is an open size with this name, and None is a size that is
    not stated."""
    sizes = [b"" if d is None else text(2, d) if isinstance(d, str) else number(1, d) for d in dims]
    return text(1, name) + text(2, text(1, number(1, kind) + text(2, b"".join(text(1, s) for s in sizes))))


def graph(nodes=(), initializers=(), inputs=(), outputs=("y",), more=b""):
    """A GraphProto. An output is a name or a ValueInfoProto."""
    return (b"".join(text(1, n) for n in nodes) + text(2, "g") + b"".join(text(5, i) for i in initializers) +
            b"".join(text(11, i) for i in inputs)
            + b"".join(text(12, text(1, o) if isinstance(o, str) else o) for o in outputs) + more)


def opset(version=20, domain=None):
    return text(8, (text(1, domain) if domain is not None else b"") + number(2, version))


def model(graph_message, opsets=None, functions=()):
    return number(1, 9) + text(7, graph_message) + (opset() if opsets is None
                                                    else opsets) + b"".join(text(25, f) for f in functions)


def function(name, inputs, outputs, nodes, domain="own", attributes=()):
    return (text(1, name) + b"".join(text(4, i) for i in inputs) + b"".join(text(5, o) for o in outputs)
            + b"".join(text(6, a) for a in attributes) +
            b"".join(text(7, n) for n in nodes) + text(9, number(2, 20)) + text(10, domain))
