# SPDX-License-Identifier: Apache-2.0
"""Bytes that are not a message: truncated at each level, lengths and numbers out of range, groups, and deep
nesting."""
from threats.case import *  # noqa: F403

WHY = "not a model of ONNX"
# The fields that hold messages, as paths of field numbers: the field of the graph, of a node, of an attribute
# and so on.
MESSAGES = {(7,), (8,), (7, 1), (7, 5), (7, 11), (7, 12), (7, 1, 5), (7, 1, 5, 5), (7, 11, 2), (7, 11, 2, 1),
            (7, 11, 2, 1, 2), (7, 11, 2, 1, 2, 1)}


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data, start, end, path=()):
    """The path, the start, the start of the content and the end of each field and of the fields in it."""
    at = start
    while at < end:
        key, content = read_varint(data, at)
        here = path + (key >> 3,)
        after = content
        if key & 7 == 0:
            _, after = read_varint(data, content)
        elif key & 7 == 5:
            after = content + 4
        else:
            size, content = read_varint(data, content)
            after = content + size
        yield here, at, content, after
        if here in MESSAGES:
            yield from fields(data, content, after, here)
        at = after


def whole_model():
    attributes = {"pads": [1, 1, 1, 1], "extra": tensor("t", [2]), "alpha": 1.5}
    return model(graph([node("Conv", ["x", "w"], ["y"], attributes, name="the node")],
                       [tensor("w", [4, 3, 3, 3])], [value("x", [1, 3, 8, 8])], [value("y", [1, 4, 8, 8])]))


def nested(depth, *path):
    """A message that is nested `depth` times along the fields of the path."""
    message = b""
    for _ in range(depth):
        for field in reversed(path):
            message = text(field, message)
    return message


def deep_subgraphs(depth):
    inner = graph([node("Relu", ["x"], ["y"])])
    for _ in range(depth):
        inner = graph([node("If", ["c"], ["y"], {"then_branch": graph_attribute(inner)}, name="the node")])
    return model(
        graph([node("If", ["c"], ["y"],
                    {"then_branch": graph_attribute(inner), "else_branch": graph_attribute(inner)})],
              (), [value("c", [], BOOL)]))


def cases():
    data = whole_model()
    seen = set()
    for path, start, content, end in fields(data, 0, len(data)):
        if path in seen or end - start < 2:
            continue
        seen.add(path)
        # The last byte of the field is missing, so that all messages around it end too early, too.
        yield Case("truncated in the field " + ".".join(map(str, path)), data[:end - 1] if end - 1 < len(data)
                   else data[:-1], WHY)
    inner = graph([node("Relu", ["x"], ["y"])], (), [value("x", [2])])
    yield Case("the graph ends inside a node", model(inner[:5]), WHY)
    yield Case("a node ends inside a name",
               model(graph([node("Relu", ["x"], ["y"])[:-2]], (), [value("x", [2])])), WHY)
    yield Case("an initializer ends inside its elements",
               model(graph([node("Relu", ["w"], ["y"])], [tensor("w", [4])[:-3]])), WHY)
    yield Case("an attribute ends inside its number",
               model(graph([node("Relu", ["w"], ["y"], more=text(5, attribute("a", 1.0)[:-4]))],
                           [tensor("w", [4])])), WHY)
    for length in (1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 62), (1 << 63) - 1,
                   1 << 63, (1 << 64) - 1):
        yield Case(f"a graph of {length} bytes", varint(7 << 3 | 2) + varint(length) + inner, WHY)
        yield Case(f"raw_data of {length} bytes",
                   model(graph([node("Relu", ["w"], ["y"])],
                               [number(1, 4) + number(2, FLOAT) + text(8, "w") + varint(9 << 3 | 2)
                                + varint(length) + bytes(16)])), WHY)
    for length in (1 << 31, (1 << 64) - 1):
        yield Case(f"packed dims of {length} bytes",
                   model(graph([node("Relu", ["w"], ["y"])],
                               [varint(1 << 3 | 2) + varint(length) + b"\x04"])), WHY)
        yield Case(f"a name of {length} bytes", model(graph([varint(1 << 3 | 2) + varint(length) + b"x"])),
                   WHY)
    yield Case("a number of 11 bytes", b"\x08" + b"\xff" * 10 + b"\x01" + model(inner), WHY)
    yield Case("a number without an end", b"\x08" + b"\xff" * 4000, WHY)
    yield Case("a key of 11 bytes", b"\xff" * 11 + model(inner), WHY)
    yield Case("the field 0", b"\x00\x01" + model(inner), WHY)
    for kind in (6, 7):
        yield Case(f"the kind of field {kind}", varint(3 << 3 | kind) + b"\x01" + model(inner), WHY)
    yield Case("a group without an end", varint(99 << 3 | 3) + model(inner), WHY)
    yield Case("a group that was not begun", varint(99 << 3 | 4) + model(inner), WHY)
    yield Case("a group with another end", varint(99 << 3 | 3) + varint(98 << 3 | 4) + model(inner), WHY)
    yield Case("10000 groups in each other", varint(99 << 3 | 3) * 10000 + varint(99 << 3 | 4) * 10000
               + model(inner), WHY)
    yield Case("1000000 groups in each other", varint(99 << 3 | 3) * 1000000 + model(inner), WHY)
    yield Case("10000 types in each other",
               model(graph([node("Relu", ["x"], ["y"])], (), [text(1, "x") + text(2, nested(5000, 4, 1))])),
               WHY)
    yield Case("100 types in each other",
               model(graph([node("Relu", ["x"], ["y"])], (), [text(1, "x") + text(2, nested(45, 4, 1))])))
    yield Case("1000 subgraphs in each other", deep_subgraphs(1000), WHY)
    yield Case("30 subgraphs in each other", deep_subgraphs(30), "")
    yield Case("20 subgraphs in each other", deep_subgraphs(20), "If")
    # Each empty message takes 2 bytes of a file and hundreds of bytes of memory.
    few, many = 1 << 20, 5 << 20
    for what, message in (("nodes", model(text(1, b"") * many)), ("initializers", model(text(5, b"") * many)),
                          ("value infos", model(text(13, b"") * many)),
                          ("attributes", model(graph([text(5, b"") * many]))),
                          ("operands", model(graph([text(1, b"") * many]))),
                          ("operator sets", model(b"", text(8, b"") * many)),
                          ("functions", model(inner) + text(25, b"") * few),
                          ("nodes in a file that is malformed", model(text(1, b"") * many) + b"\0"),
                          ("nodes behind a group", varint(99 << 3 | 3) + model(text(1, b"") * many)),
                          ("numbers", model(graph([node("Relu", ["x"], ["y"], {"a": [1] * many})])))):
        yield Case(f"millions of {what} that are empty", message, "2^27 bytes" if what != "numbers" else "")
    # The parser accepts these bytes, which are not the messages that their places suggest.
    scale, devices, key = text(2, text(1, "SCALE") + text(2, b"\0\0")), text(10,
            text(2, text(2, b"\1\2\0"))), text(2, text(5, text(1, b"\0\0")))
    for what, message in (("a quantized tensor", text(14, scale)), ("a node with devices", text(1, devices)),
                          ("a type of a map", text(11, key))):
        yield Case(f"millions of nodes that are empty behind {what}", model(message + text(1, b"") * many),
                   "2^27 bytes")
    yield Case("a graph that is a number", number(7, 1) + opset(), "no graph")
    yield Case("a node that is a number", model(number(1, 5) + graph([], (), [value("x", [2])], ["x0"])),
               "x0")
    yield Case("two graphs that are joined", text(7, inner) + text(7, inner) + opset(), "")
    yield Case("raw_data with a wrong kind of field",
               model(graph([node("Relu", ["w"], ["y"])],
                           [number(1, 1) + number(2, FLOAT) + text(8, "w") + number(9, 0)])), "'w'")
