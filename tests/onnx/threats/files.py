# SPDX-License-Identifier: Apache-2.0
"""Files that hold something else, or that are not regular files."""
import gzip

from threats.case import *  # noqa: F403

WHY = "not a model of ONNX"
IRREGULAR = "regular file"


def sparse(size, head=b""):
    def make(path):
        write(path, head)
        os.truncate(path, size)
    return make


def cases():
    small = model(graph([node("Relu", ["w"], ["y"])], [tensor("w", [4])]))
    yield Case("an empty file", b"", "no graph")
    yield Case("one zero byte", b"\0", WHY)
    yield Case("64 MiB of zeros", sparse(64 << 20), WHY)
    yield Case("a model and 64 MiB of zeros", sparse(64 << 20, small), WHY)
    yield Case("2 GiB", sparse(2 << 30), "")
    yield Case("4 GiB", sparse(4 << 30, small), "")
    yield Case("the largest size of a file", sparse((1 << 43) - 1, small), "")
    yield Case("gzip", gzip.compress(small, mtime=0), WHY)
    yield Case("zip", b"PK\x03\x04" + bytes(60), WHY)
    yield Case("the text form of Protocol Buffers",
               b'ir_version: 9\ngraph {\n  node { input: "x" output: "y" op_type: "Relu" }\n}\n', WHY)
    yield Case("JSON", b'{"irVersion": "9", "graph": {"node": []}}\n', WHY)
    yield Case("text with escape sequences", b"\x1b[31mred\x1b[0m\n", WHY)
    yield Case("an executable", b"\x7fELF\x02\x01\x01" + bytes(57), WHY)
    yield Case("a pickle", b"\x80\x04cposix\nsystem\nX\x04\0\0\0trueR.", WHY)
    yield Case("only a version of the format", number(1, 9), "no graph")
    yield Case("only an operator set", opset(), "no graph")
    yield Case("only a function", text(25, function("f", ["x"], ["y"], [node("Relu", ["x"], ["y"])])),
               "no graph")
    yield Case("a TensorProto", tensor("w", [4]), "")
    yield Case("a saved program's magic", b"CUTSET\0\1" + bytes(100), WHY)
    yield Case("a directory", os.mkdir, IRREGULAR)
    yield Case("a FIFO", os.mkfifo, IRREGULAR)
    yield Case("a link to a device without an end", lambda path: os.symlink("/dev/zero", path), IRREGULAR)
    yield Case("a link to an empty device", lambda path: os.symlink("/dev/null", path), IRREGULAR)
    yield Case("a link to the terminal", lambda path: os.symlink("/dev/tty", path), "m.onnx")
    yield Case("a link to itself", lambda path: os.symlink("m.onnx", path), "m.onnx")
    yield Case("a link to nothing", lambda path: os.symlink("missing", path), "m.onnx")
    yield Case("no file", lambda path: None, "m.onnx")
