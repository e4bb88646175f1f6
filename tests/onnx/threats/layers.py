# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, quantization and bodies of control flow whose parts do not fit each other."""
from threats.case import *  # noqa: F403

X = [3, 2, 4]  # steps, batch, size


def recurrent(op, gates):
    good = [X, weights(1, gates * 5, 4), weights(1, gates * 5, 5)]

    def of(what, operands=None, attributes=None):
        return Case(f"{op} with {what}",
                    one_node(op, operands or good, {"hidden_size": 5} if attributes is None else attributes),
                    op)
    yield of("another hidden_size", attributes={"hidden_size": 6})
    yield of("a hidden_size of 0", attributes={"hidden_size": 0})
    yield of("a negative hidden_size", attributes={"hidden_size": -5})
    yield of("a hidden_size of 2^62", attributes={"hidden_size": 1 << 62})
    yield of("a hidden_size that is a float", attributes={"hidden_size": 5.0})
    yield of("an unknown direction", attributes={"hidden_size": 5, "direction": "sideways"})
    yield of("two directions of one set of weights",
             attributes={"hidden_size": 5, "direction": "bidirectional"})
    yield of("an unknown activation", attributes={"hidden_size": 5, "activations": ["Best"] * 3})
    yield of("an unknown layout", attributes={"hidden_size": 5, "layout": 7})
    yield of("a clip of NaN", attributes={"hidden_size": 5, "clip": float("nan")})
    yield of("weights of another size", [X, weights(1, gates * 5, 3), weights(1, gates * 5, 5)])
    yield of("weights of rank 1", [X, weights(20), weights(25)])
    yield of("an operand of rank 2", [[3, 4], weights(1, gates * 5, 4), weights(1, gates * 5, 5)])
    yield of("a bias of another size", good + [weights(1, 7)])
    yield of("lengths beyond the steps", good + ["", ([2], {"raw": b"\x09\0\0\0\x09\0\0\0", "kind": INT32})])
    yield of("a state of another size", good + ["", "", weights(1, 2, 6)])
    yield of("one operand", [X])


def quantized():
    def byte(*dims):
        return weights(*dims, kind=INT8)
    x, scale = byte(2, 3), weights(data=[0.5])
    ops = [("QuantizeLinear with a zero point of floats", "QuantizeLinear", [[2, 3], scale, weights()]),
           ("QuantizeLinear with a zero point of i64", "QuantizeLinear", [[2, 3], scale, whole(0)]),
           ("QuantizeLinear without a scale", "QuantizeLinear", [[2, 3]]),
           ("QuantizeLinear with a scale of another size", "QuantizeLinear", [[2, 3], weights(4)]),
           ("DequantizeLinear with a zero point of another type", "DequantizeLinear",
            [x, scale, weights(kind=UINT8)]),
           ("DequantizeLinear of floats", "DequantizeLinear", [[2, 3], scale]),
           ("DequantizeLinear with scales of whole numbers", "DequantizeLinear", [x, whole(1)]),
           ("QLinearMatMul with a zero point of another type", "QLinearMatMul",
            [x, scale, weights(), byte(3, 2), scale, byte(), scale, byte()]),
           ("QLinearMatMul with a zero point of another size", "QLinearMatMul",
            [x, scale, byte(7), byte(3, 2), scale, byte(), scale, byte()]),
           ("QLinearMatMul of floats", "QLinearMatMul",
            [[2, 3], scale, byte(), byte(3, 2), scale, byte(), scale, byte()]),
           ("QLinearMatMul without scales", "QLinearMatMul", [x]),
           ("QLinearConv of scalars", "QLinearConv",
            [byte(), scale, byte(), byte(), scale, byte(), scale, byte()]),
           ("QLinearConv with a zero point of another type", "QLinearConv",
            [byte(1, 1, 4, 4), scale, whole(0), byte(1, 1, 3, 3), scale, byte(), scale, byte()]),
           ("MatMulInteger of floats", "MatMulInteger", [[2, 3], [3, 2]]),
           ("MatMulInteger with a zero point of another size", "MatMulInteger", [x, byte(3, 2), byte(9)]),
           ("ConvInteger of floats", "ConvInteger", [[1, 1, 4, 4], weights(1, 1, 3, 3)]),
           ("DynamicQuantizeLinear of whole numbers", "DynamicQuantizeLinear", [numbers(1, 2)])]
    for name, op, operands in ops:
        yield Case(name, one_node(op, operands), op)


def bodies():
    truth, x = value("c", [], BOOL), value("x", [2])
    then = graph([node("Relu", ["x"], ["r"])], (), (), ["r"])
    outer = graph([node("Identity", ["missing"], ["r"])], (), (), ["r"])
    integer = graph([node("Cast", ["x"], ["r"], {"to": INT64})], (), (), ["r"])

    in_body = "in a body of node 1"  # of errors of a node of a body

    def conditional(name, attributes, operands=("c",), outputs=("y",), says="If"):
        return Case(f"If {name}",
                    model(graph([node("If", list(operands), list(outputs), attributes)], (), [truth, x])),
                    says)
    of = graph_attribute
    yield conditional("without branches", {})
    yield conditional("without an else_branch", {"then_branch": of(then)})
    yield conditional("with branches of other kinds", {"then_branch": 1, "else_branch": "else"})
    yield conditional("with a branch without results",
                      {"then_branch": of(then), "else_branch": of(graph([], (), (), []))})
    yield conditional("with a branch that reads what nothing computes",
                      {"then_branch": of(then), "else_branch": of(outer)}, says=in_body)
    yield conditional("with branches of two types", {"then_branch": of(then), "else_branch": of(integer)})
    yield conditional("without a condition", {"then_branch": of(then), "else_branch": of(then)}, ())
    yield conditional("with a condition of floats", {"then_branch": of(then), "else_branch": of(then)},
                      ("x",))
    yield conditional("with too many results", {"then_branch": of(then), "else_branch": of(then)}, ("c",),
                      ("y", "z"))
    yield conditional("with a branch that is empty", {"then_branch": of(b""), "else_branch": of(b"")})
    inner = graph([node("Identity", ["on"], ["go"]), node("Relu", ["state"], ["next"])], (),
                  [value("i", [], INT64), value("on", [], BOOL), value("state", [2])], ["go", "next"])
    endless = graph([node("Relu", ["state"], ["next"])], (),
                    [value("i", [], INT64), value("on", [], BOOL), value("state", [2])], ["on", "next"])
    grows = graph([node("Concat", ["state", "state"], ["next"], {"axis": 0})], (),
                  [value("i", [], INT64), value("on", [], BOOL), value("state", ["n"])], ["on", "next"])

    def loop(name, body, operands=("m", "c", "x"), count=3, outputs=("y",), attributes=None, says="Loop"):
        return Case(f"Loop {name}",
                    model(
                        graph([node("Loop", list(operands), list(outputs), {"body": of(body)}
                                    if attributes is None else attributes)],
                                                [tensor("m", [], [count], INT64)], [truth, x])), says)
    yield loop("without a body", inner, attributes={})
    yield loop("with a body of another kind", inner, attributes={"body": [1, 2]})
    yield loop("without an end", endless, ("", "", "x"))
    yield loop("of 2^62 steps", endless, ("m", "", "x"), 1 << 62)
    yield loop("that doubles its state", grows, ("m", "", "x"), 60, says=in_body)
    yield loop("with an empty body", b"")
    yield loop("without its state", inner, ("m", "c"))
    yield loop("with too many results", inner, outputs=("y", "z", "u"))
    yield loop("with a count of floats", inner, ("x", "c", "x"))
    scan = graph([node("Relu", ["e"], ["r"])], (), [value("e", [2])], ["r"])

    def scanned(name, attributes):
        return Case(f"Scan {name}",
                    model(graph([node("Scan", ["x"], ["y"], attributes)], (), [value("x", [3, 2])])), "Scan")
    yield scanned("without a body", {"num_scan_inputs": 1})
    yield scanned("with num_scan_inputs of 0", {"body": of(scan), "num_scan_inputs": 0})
    yield scanned("with num_scan_inputs of -1", {"body": of(scan), "num_scan_inputs": -1})
    yield scanned("with num_scan_inputs of 2^62", {"body": of(scan), "num_scan_inputs": 1 << 62})
    yield scanned("along an axis that is missing",
                  {"body": of(scan), "num_scan_inputs": 1, "scan_input_axes": [9]})
    yield scanned("in a direction that is missing", {"body": of(scan), "num_scan_inputs": 1,
                                                     "scan_input_directions": [5]})


def cases():
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        yield from recurrent(op, gates)
    yield from quantized()
    yield from bodies()
