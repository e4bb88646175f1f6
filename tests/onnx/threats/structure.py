# SPDX-License-Identifier: Apache-2.0
"""Graphs that are malformed: cycles, names that are missing or given twice, and sizes of the graph
at its limits."""
from threats.case import *  # noqa: F403

X = value("x", [2])


def chain(length, op="Relu"):
    names = ["x"] + [f"h{i}" for i in range(1, length)] + ["y"]
    return model(graph([node(op, [names[i]], [names[i + 1]]) for i in range(length)], (), [X]))


def cases():
    def of(name, nodes, says="", initializers=(), inputs=(X,), outputs=("y",), more=b""):
        return Case(name, model(graph(nodes, initializers, inputs, outputs, more)), says)
    relu = node("Relu", ["x"], ["y"])
    yield of("a node that reads its result", [node("Relu", ["y"], ["y"])], "'y'")
    yield of("a node that reads its result beside an input", [node("Add", ["x", "y"], ["y"])], "'y'")
    yield of("a cycle of two nodes",
             [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])], "'b'")
    ring = [node("Relu", [f"h{i}"], [f"h{(i + 1) % 1000}"]) for i in range(1000)]
    yield of("a cycle of 1000 nodes", ring + [node("Relu", ["h5"], ["y"])], "'h0'")
    yield of("a cycle that decides a shape",
             [node("Reshape", ["x", "s"], ["y"]), node("Shape", ["y"], ["s"])], "'s'")
    yield of("nodes in the wrong order", [node("Relu", ["h"], ["y"]), node("Relu", ["x"], ["h"])], "'h'")
    yield of("a result of two nodes", [relu, node("Tanh", ["x"], ["y"])], "'y'")
    yield of("a result that a node gives twice", [node("Split", ["x"], ["y", "y"], {"axis": 0})], "'y'")
    yield of("a result with the name of an input", [node("Relu", ["x"], ["x"])], "'x'", outputs=("x",))
    yield of("a result with the name of an initializer", [node("Relu", ["x"], ["w"])], "'w'",
             [tensor("w", [2])], outputs=("w",))
    yield of("two initializers with one name", [node("Add", ["x", "w"], ["y"])], "'w'",
             [tensor("w", [2]), tensor("w", [2])])
    yield of("two initializers with one name and different types", [node("Add", ["x", "w"], ["y"])],
             "'w'", [tensor("w", [2]), tensor("w", [2], kind=INT64)])
    yield of("two inputs with one name", [relu], "'x'", inputs=(X, value("x", [3])))
    yield of("two inputs with the name of one initializer", [node("Relu", ["w"], ["y"])], "'w'",
             [tensor("w", [2])], inputs=(value("w", [2]), value("w", [2])))
    yield of("an input and an initializer that differ in type", [node("Relu", ["w"], ["y"])], "'w'",
             [tensor("w", [2])], inputs=(value("w", [3], INT64),))
    yield of("two outputs with one name", [relu], "'y'", outputs=("y", "y"))
    yield of("an operand that nothing computes", [node("Add", ["x", "missing"], ["y"])], "'missing'")
    yield of("an output that nothing computes", [relu], "'z'", outputs=("z",))
    yield of("no inputs", [relu], "'x'", inputs=())
    yield of("no outputs", [relu], "output", outputs=())
    yield of("no nodes", [], "'y'")
    yield of("an empty graph", [], "output", inputs=(), outputs=())
    yield of("an output without a name", [relu], "name", outputs=("",))
    yield of("an input without a name", [relu], "name", inputs=(X, value("", [2])))
    yield of("an initializer without a name", [relu], "name", [tensor("", [2])])
    yield of("an operand that is left out", [node("Relu", [""], ["y"])], "Relu")
    yield of("a node without operands", [node("Relu", [], ["y"])], "Relu")
    yield of("a node without results", [node("Relu", ["x"], [])], "'y'")
    yield of("a node with too many operands", [node("Relu", ["x", "x", "x"], ["y"])], "Relu")
    yield of("a node with too many results", [node("Relu", ["x"], ["y", "z"])], "Relu")
    yield of("a split without results", [node("Split", ["x"], [], {"num_outputs": 0}), relu], "Split")
    yield of("a split without results and sizes", [node("Split", ["x", "s"], []), relu], "Split",
             [tensor("s", [0], [], INT64)])
    yield of("a node without an op", [node("", ["x"], ["y"])], "")
    yield of("an op that does not exist", [node("NoSuchOp", ["x"], ["y"])], "NoSuchOp")
    yield of("1000 ops that do not exist", [node(f"Op{i}", ["x"], [f"y{i}"]) for i in range(1000)] + [relu],
             "Op")
    yield of("an op of another domain", [node("Relu", ["x"], ["y"], more=text(7, "com.example"))], "Relu")
    yield of("100001 nodes", [node("Relu", ["x"], [f"h{i}"]) for i in range(100001)], "100001 nodes")
    yield of("100000 nodes with an error in the last",
             [node("Relu", [f"h{i}" if i else "x"], [f"h{i + 1}"]) for i in range(99999)]
             + [node("Relu", ["z"], ["y"])], "'z'")
    yield of("100000 operands that nothing computes", [node("Sum", [f"z{i}" for i in range(100000)], ["y"])],
             "'z0'")
    yield of("100000 results of a split",
             [node("Split", ["w"], ["y"] + [f"y{i}" for i in range(99999)], {"axis": 0})], "",
             [tensor("w", [2])])
    yield of("1001 inputs", [relu], "1000 inputs", inputs=[X] + [value(f"x{i}", [2]) for i in range(1000)])
    yield of("1001 outputs", [relu], "1000 outputs", outputs=["y"] * 1001)
    yield of("a sum of 100000 operands", [node("Sum", ["x"] * 100000, ["y"])] * 10, "250000 values")
    yield of("an input without a type", [relu], "'x'", inputs=(text(1, "x"),))
    yield of("an input that is a sequence", [relu], "'x'",
             inputs=(text(1, "x") + text(2, text(4, text(1, text(1, number(1, FLOAT))))),))
    yield of("an input without a shape", [relu], "'x'",
             inputs=(text(1, "x") + text(2, text(1, number(1, FLOAT))),))
    yield of("an input without an element type", [relu], "element type", inputs=(value("x", [2], 0),))
    yield of("an input of text", [relu], "STRING", inputs=(value("x", [2], STRING),))
    yield of("an input with the element type 77", [relu], "77", inputs=(value("x", [2], 77),))
    for size in (-1, -(1 << 63), (1 << 63) - 1, 1 << 50):
        yield of(f"an input with a size of {size}", [relu], "x", inputs=(value("x", [size]),))
    yield of("an input with 2^62 elements", [relu], "x", inputs=(value("x", [1 << 31, 1 << 31]),))
    yield of("an input with 1000 dimensions", [relu], "x", inputs=(value("x", [1] * 1000),))
    yield of("an input with an open size behind the first", [relu], "'x'", inputs=(value("x", [2, "n"]),))
    yield of("an input with an open size with a name of 1 MiB", [relu], "'x'",
             inputs=(value("x", [2, "n" * (1 << 20)]),))
    yield of("an input with an open size with a name of control characters", [relu], "'x'",
             inputs=(value("x", [2, "\x1b[2J\n\0"]),))
    yield of("an input with an open size without a name", [relu], "'x'", inputs=(value("x", [2, None]),))
    yield of("an output of another type", [relu], "'y'", outputs=(value("y", [2], INT64),))
    yield of("an output with a negative size", [relu], "'y'", outputs=(value("y", [-2]),))
