# SPDX-License-Identifier: Apache-2.0
"""Attributes of the wrong kind, out of range, infinite, or contradicting the operands."""
from threats.case import *  # noqa: F403

IMAGE, KERNEL = [1, 4, 8, 8], weights(4, 4, 3, 3)
HUGE, NAN = 1 << 40, float("nan")
# Per op: operands and a list of attributes, each of which is an error. The name of a case consists of the op
# and the attributes.
OPS = [
    ("Relu", [[2]], [{"color": "red"}, {"alpha": 1.0}]),
    ("Transpose", [[2, 3]], [{"perm": [0, 0]}, {"perm": [0]}, {"perm": [0, 2]}, {"perm": [-1, 0]},
                             {"perm": [0, 1, 2]}, {"perm": [1 << 62, 0]}, {"perm": 1}, {"perm": [1.0, 0.0]},
                             {"perm": "01"}]),
    ("Conv", [IMAGE, KERNEL], [
        {"strides": [0, 1]}, {"strides": [-1, 1]}, {"strides": [1 << 62, 1]}, {"strides": [1]},
        {"strides": [1.0, 1.0]}, {"strides": 1}, {"dilations": [0, 1]}, {"dilations": [HUGE, 1]},
        {"dilations": [-1, 1]}, {"pads": [-9, 0, 0, 0]}, {"pads": [0, 0]}, {"pads": [1 << 62, 0, 0, 0]},
        {"pads": [-(1 << 63), 0, 0, 0]}, {"group": 0}, {"group": -1}, {"group": 3},
        {"group": 1 << 62}, {"group": 1.0}, {"group": "1"}, {"kernel_shape": [0, 3]},
        {"kernel_shape": [-3, 3]}, {"kernel_shape": [1 << 31, 3]}, {"kernel_shape": [3]},
        {"kernel_shape": [5, 5]}, {"auto_pad": "UP"}, {"auto_pad": 1}, {"auto_pad": ["VALID"]}]),
    ("ConvTranspose", [IMAGE, KERNEL], [
        {"strides": [0, 1]}, {"strides": [1 << 50, 1]}, {"dilations": [HUGE, 1]}, {"group": 0}, {"group": 5},
        {"output_padding": [1 << 40, 0]}, {"output_padding": [-1, 0]},
        {"output_shape": [1 << 50, 1 << 50]}, {"output_shape": [-1, -1]}, {"output_shape": [8]},
        {"pads": [HUGE, 0, 0, 0]}]),
    ("MaxPool", [IMAGE], [{}, {"kernel_shape": [0, 0]}, {"kernel_shape": [-1, 1]},
                          {"kernel_shape": [1 << 31, 1 << 31]}, {"kernel_shape": [2]}, {"kernel_shape": []},
                          {"kernel_shape": [2, 2], "strides": [0, 0]},
                          {"kernel_shape": [2, 2], "pads": [HUGE] * 4},
                          {"kernel_shape": [2, 2], "dilations": [HUGE, HUGE]},
                          {"kernel_shape": [2, 2], "ceil_mode": 1.0}, {"kernel_shape": [2.0, 2.0]}]),
    ("AveragePool", [IMAGE], [{"kernel_shape": [0, 0]}, {"kernel_shape": [2, 2], "strides": [0, 1]},
                              {"kernel_shape": [2, 2], "pads": [-1, 0, 0, 0]}]),
    ("LpPool", [IMAGE], [{"kernel_shape": [2, 2], "p": 0}, {"kernel_shape": [2, 2], "p": -1},
                         {"kernel_shape": [9, 9]}]),
    ("LRN", [IMAGE], [{}, {"size": 0}, {"size": -3}, {"size": 3, "alpha": 1}]),
    ("Concat", [[2, 3], [2, 3]],
     [{"axis": 2}, {"axis": -3}, {"axis": 1 << 62}, {"axis": 0.0}, {"axis": [0]}]),
    ("Concat", [[2, 3], [3, 2]], [{"axis": 0}]),
    ("Split", [[6]], [{"axis": 1}, {"axis": -2}, {"num_outputs": 0}, {"num_outputs": -1}, {"num_outputs": 5},
                      {"num_outputs": 1 << 62}]),
    ("Flatten", [[2, 3]], [{"axis": 3}, {"axis": -3}, {"axis": 1 << 62}, {"axis": "1"}]),
    ("Softmax", [[2, 3]], [{"axis": 2}, {"axis": -3}, {"axis": -(1 << 63)}, {"axis": 1.0}]),
    ("LayerNormalization", [[2, 3], weights(3)],
     [{"axis": 5}, {"axis": -3}, {"epsilon": NAN}, {"epsilon": float("inf")}, {"epsilon": -1.0},
      {"stash_type": 99}]),
    ("BatchNormalization", [IMAGE] + [weights(4)] * 4,
     [{"epsilon": NAN}, {"epsilon": float("-inf")}, {"epsilon": -1.0}, {"epsilon": 1}, {"momentum": NAN},
      {"training_mode": 2.0}]),
    ("InstanceNormalization", [IMAGE, weights(4), weights(4)], [{"epsilon": NAN}, {"epsilon": -1.0}]),
    ("GroupNormalization", [IMAGE, weights(4), weights(4)],
     [{}, {"num_groups": 0}, {"num_groups": 3}, {"num_groups": -1}, {"num_groups": 1 << 62}]),
    ("Gemm", [[2, 3], weights(3, 4)], [{"alpha": 1}, {"transA": 1.0}, {"transA": 1}]),
    ("ReduceSum", [[2, 3], numbers(5)], [{}]),
    ("ReduceMean", [[2, 3], numbers(0, 0)], [{}]),
    ("ReduceMax", [[2, 3], numbers(-(1 << 63))], [{}]),
    ("ArgMax", [[2, 3]], [{"axis": 2}, {"axis": -(1 << 63)}, {"axis": 0.5}]),
    ("Gather", [[2, 3], numbers(0)], [{"axis": 2}, {"axis": -3}]),
    ("Cast", [[2]], [{}, {"to": 0}, {"to": 99}, {"to": -1}, {"to": 1 << 40}, {"to": STRING},
                     {"to": "float"}]),
    ("DepthToSpace", [IMAGE],
     [{}, {"blocksize": 0}, {"blocksize": -2}, {"blocksize": 3}, {"blocksize": 1 << 62},
      {"blocksize": 1 << 32}, {"blocksize": 2, "mode": "X"}]),
    ("SpaceToDepth", [IMAGE],
     [{"blocksize": 0}, {"blocksize": -2}, {"blocksize": 3}, {"blocksize": 1 << 32}, {"blocksize": 1 << 62}]),
    ("TopK", [[2, 3], numbers(2)], [{"axis": 2}, {"axis": -3}]),
    ("CumSum", [[2, 3], whole(2)], [{}]),
    ("EyeLike", [[2, 3]], [{"k": 1 << 62}, {"k": -(1 << 63)}, {"dtype": 99}]),
    ("EyeLike", [[2]], [{}]),
    ("Einsum", [[2, 3], [3, 2]],
     [{}, {"equation": ""}, {"equation": "ij,jk->il"}, {"equation": "ij->i"}, {"equation": "ijk,jk->i"},
      {"equation": "->"}, {"equation": "," * 1000}, {"equation": "i" * 100000},
                                  {"equation": "ij,jk->ikk"}, {"equation": "...ij...,jk"},
      {"equation": "i\0,jk"}, {"equation": "\x1b[2J,jk->"}, {"equation": "ij,jk->ik->"},
      {"equation": "ij,ij->ij"},
                                  {"equation": 1}]),
    ("LeakyRelu", [[2]], [{"alpha": 1}, {"alpha": "a"}]),
    ("BitShift", [numbers(1), numbers(1)], [{}, {"direction": "UP"}]),
    ("Shape", [[2]], [{"start": 1.0}, {"end": "1"}]),
    ("LpNormalization", [[2, 3]], [{"axis": 2}, {"p": 0}, {"p": 3}]),
    ("QuantizeLinear", [[2, 3], weights(3)],
     [{"axis": 2}, {"axis": -3}, {"block_size": -1}, {"block_size": 1 << 62}]),
    ("Attention", [[1, 2, 8], [1, 2, 8], [1, 2, 8]],
     [{}, {"q_num_heads": 0, "kv_num_heads": 0}, {"q_num_heads": 3, "kv_num_heads": 3},
      {"q_num_heads": -1, "kv_num_heads": 1},
                                                      {"q_num_heads": 2, "kv_num_heads": 2,
                                                       "qk_matmul_output_mode": 9},
      {"q_num_heads": 2, "kv_num_heads": 2, "softmax_precision": 99}]),
    ("Hardmax", [[2, 3]], [{"axis": 9}]),
    ("Trilu", [[2]], [{}]),
    ("GatherND", [[2, 3], numbers(0)], [{"batch_dims": 9}, {"batch_dims": -1}]),
    ("ScatterElements", [[3], numbers(0), weights(1)], [{"reduction": "xor"}, {"axis": 1}]),
    ("Unsqueeze", [[2]], [{}]),
]


def shown(attributes):
    def short(v):
        return repr(v) if len(repr(v)) < 40 else repr(v)[:20] + "..."
    return ", ".join(f"{k} {short(v)}" for k, v in attributes.items()) or "no attributes"


def cases():
    for op, operands, errors in OPS:
        for attributes in errors:
            yield Case(f"{op} with {shown(attributes)}"
                       + (f" of {len(operands)} operands" if not attributes else ""),
                       one_node(op, operands, attributes), op)
    x = [[2, 3]]
    twice = node("Softmax", ["x"], ["y"], {"axis": 0}, more=text(5, attribute("axis", 1)))
    yield Case("an attribute that is given twice", model(graph([twice], (), [value("x", [2, 3])])), "Softmax")
    yield Case("an attribute without a kind", one_node("Softmax", x, {"axis": Prepared(number(3, 1))}),
               "Softmax")
    yield Case("an attribute of the kind 99",
               one_node("Softmax", x, {"axis": Prepared(number(3, 1) + number(20, 99))}), "Softmax")
    yield Case("an attribute of a kind that its value does not have",
               one_node("Softmax", x, {"axis": Prepared(text(4, "1") + number(20, 2))}), "Softmax")
    yield Case("an attribute with the value of another kind",
               one_node("Transpose", x, {"perm": Prepared(number(3, 1) + number(20, 7))}), "Transpose")
    yield Case("an attribute of a million numbers", one_node("Transpose", x, {"perm": [0] * 1000000}),
               "Transpose")
    yield Case("100000 attributes",
               model(
                   graph([node("Softmax", ["x"], ["y"], more=text(5, attribute("a", 1)) * 100000
                               + text(5, attribute("axis", 9)))], (), [value("x", [2, 3])])), "Softmax")
    yield Case("an attribute without a name",
               model(graph([node("Softmax", ["x"], ["y"], {"": 1, "axis": 9})], (), [value("x", [2])])),
               "Softmax")
