# SPDX-License-Identifier: Apache-2.0
"""Hostile files as test cases, and models of one node."""
import dataclasses
import os
from typing import Callable, Union

from threats.messages import *  # noqa: F403


@dataclasses.dataclass
class Case:
    name: str
    # the bytes of the file, or a function that makes it at a path
    content: Union[bytes, Callable[[str], None]]
    says: str = ""  # a part of the error message


def one_node(op, operands, attributes=None, results=1, opsets=None, known=None):
    """A model of one node. Each operand is a list of sizes (an input of floats), a text (a name, or "" for an
    operand that is left out), or a pair (sizes, options of tensor()), as weights(), numbers() and whole()
    make it (an initializer)."""
    inputs, initializers, names = [], [], []
    for i, operand in enumerate(operands):
        name = f"x{i}"
        if isinstance(operand, str):
            name = operand
        elif isinstance(operand, tuple):
            initializers.append(tensor(name, *operand[:1], **operand[1]))
        else:
            inputs.append(value(name, operand))
        names.append(name)
    outputs = ["y"] + [f"y{i}" for i in range(1, results)] if results else []
    return model(graph([node(op, names, outputs, attributes, name="the node")], initializers, inputs,
                       outputs), opsets)


def numbers(*data):
    """An operand of known whole numbers."""
    return ([len(data)], {"data": data, "kind": INT64})


def whole(number):
    """An operand that is one known whole number without dimensions."""
    return ([], {"data": [number], "kind": INT64})


def weights(*dims, **options):
    """An operand that is an initializer."""
    return (list(dims), options)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def beside(path, name):
    return os.path.join(os.path.dirname(path), name)
