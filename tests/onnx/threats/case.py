"""A file of the tests."""
import dataclasses
import os
from typing import Callable, Union

from threats.messages import *  # noqa: F403


@dataclasses.dataclass
class Case:
    name: str
    content: Union[bytes, Callable[[str], None]]  # the bytes of the file, or a function that makes it at a path
    says: str = ""  # a part of the error message


def one_node(op, operands, attributes=None, results=1, opsets=None, known=None):
    """A model of one node. Each operand is a list of sizes of a float input, a text (an absent operand or a name that nothing computes), bytes
    (the elements of an initializer of i64 as numbers() writes them), or a prepared initializer, tensor(NAME, ...), as (NAME, message)."""
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
    return model(graph([node(op, names, outputs, attributes, name="the node")], initializers, inputs, outputs), opsets)


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
