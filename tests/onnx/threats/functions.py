# SPDX-License-Identifier: Apache-2.0
"""Operator sets that do not exist, and functions of the model that call themselves or grow without bound."""
from threats.case import *  # noqa: F403

X = value("x", [2])


def call(name, inputs=("x",), outputs=("y",), domain="own"):
    return node(name, list(inputs), list(outputs), more=text(7, domain))


def calling(name, functions):
    return model(graph([call(name)], (), [X]), opset() + opset(1, "own"), functions)


def cases():
    relu = graph([node("Relu", ["x"], ["y"])], (), [X])
    for version in (0, -1, 1 << 62, -(1 << 63)):
        yield Case(f"the operator set {version}", model(relu, opset(version)), "operator set")
    yield Case("no operator set", model(relu, b""), "operator set")
    yield Case("an operator set without a version", model(relu, text(8, text(1, ""))), "operator set")
    yield Case("only another operator set", model(relu, opset(20, "com.example")), "operator set")
    yield Case("two versions of one operator set", model(relu, opset(20) + opset(7)), "operator set")
    yield Case("two versions of one operator set under two names",
               model(relu, opset(20) + opset(7, "ai.onnx")), "operator set")
    yield Case("a node of a domain that is not named",
               model(graph([call("Relu", domain="ai.onnx.ml")], (), [X])), "Relu")
    yield Case("a function that calls itself", calling("f", [function("f", ["x"], ["y"], [call("f")])]), "f")
    yield Case("two functions that call each other",
               calling("f", [function("f", ["x"], ["y"], [call("g")]),
                             function("g", ["x"], ["y"], [call("f")])]), "f")
    ring = [function(f"f{i}", ["x"], ["y"], [call(f"f{(i + 1) % 1000}")]) for i in range(1000)]
    yield Case("1000 functions in a cycle", calling("f0", ring), "f0")
    deep = [function(f"f{i}", ["x"], ["y"], [call(f"f{i + 1}")])
            for i in range(10000)] + [function("f10000", ["x"], ["y"], [node("Relu", ["x"], ["y"])])]
    yield Case("a chain of 10000 functions", calling("f0", deep), "f0")
    laughs = [function(f"f{i}", ["x"], ["y"],
                       [call(f"f{i + 1}", ["x"], ["a"]), call(f"f{i + 1}", ["a"], ["y"])]) for i in range(60)]
    yield Case("functions that grow to 2^60 nodes",
               calling("f0", laughs + [function("f60", ["x"], ["y"], [node("Relu", ["x"], ["y"])])]), "f0")
    one = function("f", ["x"], ["y"], [node("Relu", ["x"], ["y"])])
    both = opset() + opset(1, "own")
    yield Case("a call with too many operands", model(graph([call("f", ["x", "x"])], (), [X]), both, [one]),
               "f")
    yield Case("a call without operands", model(graph([call("f", [])], (), [X]), both, [one]), "f")
    yield Case("a call with too many results",
               model(graph([call("f", ["x"], ["y", "z"])], (), [X]), both, [one]), "f")
    yield Case("a function without a result", calling("f", [function("f", ["x"], ["y"], [])]), "f")
    yield Case("a function with an operand that nothing computes",
               calling("f", [function("f", ["x"], ["y"], [node("Relu", ["z"], ["y"])])]), "f")
    yield Case("two functions with one name",
               calling("f", [one, function("f", ["x"], ["y"], [node("Tanh", ["x"], ["y"])])]), "f")
    long = "n" * (1 << 20)
    yield Case("a function that returns a value with a long name 50000 times",
               model(graph([call("f", ["x"], [long] + [f"r{i}" for i in range(50000)])], (), [X]), both,
                     [function("f", ["x"], ["y"] * 50001, [node("Relu", ["x"], ["y"])])]), "f")
    yield Case("90000 calls of a function without nodes whose operand has a long name",
               model(graph([call("f", ["x"], [""])] * 90000, (), [X]), both,
                     [function("f", [long], [long], [])]), "f")
    yield Case("a function that replaces an op",
               model(relu, None, [function("Relu", ["x"], ["y"], [node("Softmax", ["x"], ["y"], {"axis": 7})],
                                           "")]), "Relu")
    yield Case("a reference to an attribute outside a function",
               model(graph([node("Softmax", ["x"], ["y"], {"axis": Prepared(number(20, 2) + text(21, "k"))})],
                           (), [X])), "Softmax")
