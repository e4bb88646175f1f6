# SPDX-License-Identifier: Apache-2.0
"""Files that look hostile and are valid: each of them must run."""
from threats.case import *  # noqa: F403


def cases():
    x = value("x", [2])
    relu = node("Relu", ["x"], ["y"])

    def of(name, nodes, initializers=(), inputs=(x,), outputs=("y",), opsets=None, more=b"", functions=()):
        return Case(name, model(graph(nodes, initializers, inputs, outputs, more), opsets, functions))
    yield of("no elements", [node("Relu", ["w"], ["y"])], [tensor("w", [0])], ())
    yield of("no elements and no data", [node("Relu", ["w"], ["y"])], [tensor("w", [0, 1000], raw=False)], ())
    yield of("a scalar", [node("Relu", ["w"], ["y"])], [tensor("w", [])], ())
    yield of("float_data and packed float_data", [node("Relu", ["w"], ["y"])],
             [tensor("w", [3], raw=False, more=real(4, 1.0) + text(4, bytes(8)))], ())
    yield of("NaN and infinity as elements", [node("Relu", ["w"], ["y"])],
             [tensor("w", [3], [float("nan"), float("inf"), -1e38])], ())
    yield of("an unknown field", [relu], more=text(1000, b"anything") + number(1001, 5))
    yield Case("padded numbers", b"\x08\x89\x80\x80\x80\x80\x00" + model(graph([relu], (), [x])))
    yield Case("the fields of the model in another order", opset() + text(7, graph([relu], (), [x]))
               + number(1, 9))
    yield of("names with control characters", [node("Relu", ["x\n\x1b[2J"], ["y\0"], name="n\n")], (),
             [value("x\n\x1b[2J", [2])], ["y\0"])
    yield of("names of 1 MiB", [node("Relu", ["x" * (1 << 20)], ["y" * (1 << 20)], name="n" * (1 << 20))],
             (), [value("x" * (1 << 20), [2])], ["y" * (1 << 20)])
    yield of("names that differ behind their first 1000 characters",
             [node("Add", ["x" * 2000 + "a", "x" * 2000 + "b"], ["y"])], (),
             [value("x" * 2000 + c, [2]) for c in "ab"])
    yield of("names that the graph keeps", [node("Add", ["x", "train"], ["loss"])], [tensor("train", [2])],
             outputs=("loss",))
    yield of("an initializer that is an input", [node("Add", ["x", "w"], ["y"])], [tensor("w", [2])],
             (x, value("w", [2])))
    yield of("an initializer that no node reads", [relu], [tensor("unused", [3])])
    yield of("a node that no output needs", [relu, node("Tanh", ["x"], ["unused"])])
    yield of("nodes with one name",
             [node("Relu", ["x"], ["h"], name="n"), node("Tanh", ["h"], ["y"], name="n")])
    yield of("another operator set", [relu], opsets=opset(20) + opset(1, "com.example"))
    yield of("a function that no node calls", [relu],
             functions=[function("f", ["x"], ["y"], [node("NoSuchOp", ["x"], ["y"])])])
    yield of("an index from the end", [node("Gather", ["x", "i"], ["y"])], [tensor("i", [1], [-2], INT64)])
    yield of("a slice beyond the end", [node("Slice", ["x", "a", "b"], ["y"])],
             [tensor("a", [1], [-(1 << 63)], INT64), tensor("b", [1], [(1 << 63) - 1], INT64)])
    yield of("a slice with the largest step", [node("Slice", ["x", "a", "b", "a", "s"], ["y"])],
             [tensor("a", [1], [0], INT64), tensor("b", [1], [9], INT64),
              tensor("s", [1], [(1 << 63) - 1], INT64)])
    yield of("a slice with the smallest step", [node("Slice", ["x", "b", "a", "a", "s"], ["y"])],
             [tensor("a", [1], [0], INT64), tensor("b", [1], [9], INT64),
              tensor("s", [1], [-(1 << 63)], INT64)])
    yield of("a range without elements", [node("Range", ["a", "b", "a"], ["y"])],
             [tensor("a", [], [1], INT64), tensor("b", [], [-5], INT64)], ())
    yield of("a division by 0", [node("Div", ["a", "b"], ["y"])],
             [tensor("a", [2], [-(1 << 63), 1], INT64), tensor("b", [2], [-1, 0], INT64)], ())
    yield of("an epsilon of 0", [node("LayerNormalization", ["x", "s"], ["y"], {"epsilon": 0.0})],
             [tensor("s", [2])])
    names = ["x"] + [f"h{i}" for i in range(1, 2000)] + ["y"]
    yield of("a chain of 2000 nodes", [node("Relu", [names[i]], [names[i + 1]]) for i in range(2000)])
    yield of("an output of another shape", [relu], outputs=(value("y", [3]),))
    yield of("an output of another rank", [relu], outputs=(value("y", [2, 1]),))
    yield of("an output of an open size", [relu], outputs=(value("y", ["n"]),))
    yield of("a window over all channels", [node("LRN", ["x"], ["y"], {"size": (1 << 63) - 1})], (),
             [value("x", [1, 2, 2])])
    yield of("a convolution without channels", [node("Conv", ["x", "w"], ["y"])], [tensor("w", [0, 0, 3, 3])],
             [value("x", [1, 0, 8, 8])])
    yield of("a resize to no rows", [node("Resize", ["x", "", "", "s"], ["y"])],
             [tensor("s", [4], [1, 1, 0, 2], INT64)], [value("x", [1, 1, 4, 4])])
    yield of("an open first size", [relu], (), [value("x", ["\x1b[2J", 2])])
    yield of("1000 inputs", [relu], (), [x] + [value(f"x{i}", [2]) for i in range(999)])
