# SPDX-License-Identifier: Apache-2.0
"""Names with characters that change a terminal or end a text, and names of 1 MiB."""
from threats.case import *  # noqa: F403

HOSTILE = {"a zero byte": "a\0b", "a new line": "a\nb", "a carriage return": "a\rb",
           "an escape sequence": "\x1b[2J\x1b]0;title\x07", "only blanks": "   ",
           "an overlong UTF-8": b"\xc0\xaf", "half of a UTF-8": b"\xe2\x82", "C1 controls": b"\xc2\x9b2J",
           "a right-to-left override": "a\u202eb", "1 MiB": "n" * (1 << 20),
           "a format of printf": "%s%n%s%n", "a path": "../../etc/passwd", "quotes": "'; rm -rf \"$HOME\" #"}


def cases():
    """Uses each name in models with an error: as the name of an op, of an operand that nothing computes, of
    an initializer, and of an input."""
    x = value("x", [2])
    for what, name in HOSTILE.items():
        yield Case(f"an op whose name has {what}", model(graph([node(name, ["x"], ["y"])], (), [x])))
        yield Case(f"a missing operand whose name has {what}",
                   model(graph([node("Relu", [name], ["y"])], (), [x])), "Relu")
        yield Case(f"an initializer whose name has {what}",
                   model(graph([node("Relu", [name], ["y"])], [tensor(name, [3], raw=b"")])),
                   "the initializer")
        yield Case(f"an input whose name has {what}",
                   model(graph([node("Relu", [name], ["y"])], (), [value(name, [-2])])), "input")
        yield Case(f"an output whose name has {what}",
                   model(graph([node("Relu", ["x"], ["y"])], (), [x], [name])))
        yield Case(f"a node whose name has {what}",
                   model(
                       graph([node("Softmax", ["x"], ["y"], {"axis": 9}, name="n" + name
                                   if isinstance(name, str) else name)], (), [x])), "Softmax")
        yield Case(f"an attribute whose name has {what}",
                   model(
                       graph([node("Softmax", ["x"], ["y"], {"axis": 9},
                                   more=text(5, text(1, name) + number(20, 2)))], (), [x])), "Softmax")
        yield Case(f"an attribute whose text has {what}",
                   model(
                       graph([node("Conv", ["x", "w"], ["y"],
                                   more=text(5, text(1, "auto_pad") + text(4, name) + number(20, 3)))],
                                                                  [tensor("w", [1, 1, 1, 1])],
                             [value("x", [1, 1, 4, 4])])), "Conv")
        yield Case(f"a domain whose name has {what}",
                   model(graph([node("Relu", ["x"], ["y"], more=text(7, name))], (), [x])), "Relu")
