# SPDX-License-Identifier: Apache-2.0
"""External data outside the folder of the model, beyond the end of a file, or in something that is not a
file."""
from threats.case import *  # noqa: F403


def placed(entries, dims=(4,), more=b""):
    data = b"".join(text(13, text(1, k) + text(2, v)) for k, v in entries)
    return model(graph([node("Relu", ["w"], ["y"])],
                       [tensor("w", dims, raw=False, more=number(14, 1) + data + more)]))


def in_folder(entries, prepare=None, dims=(4,), more=b""):
    def make(path):
        write(path, placed(entries, dims, more))
        write(beside(path, "weights"), bytes(16))
        if prepare:
            prepare(os.path.dirname(path))
    return make


def cases():
    def at(name, location, says="'w'", prepare=None):
        return Case(name, in_folder([("location", location)], prepare), says)

    def part(name, offset=None, length=None, dims=(4,)):
        entries = [("location", "weights")] + [(k, v) for k, v in (("offset", offset), ("length", length))
                                               if v is not None]
        return Case(name, in_folder(entries, dims=dims), "'w'")
    yield at("an absolute path", "/etc/passwd")
    yield at("an absolute path of a device", "/dev/zero")
    yield at("a path of the memory of the process", "/proc/self/mem")
    yield at("..", "../m/weights")
    yield at("many ..", "../" * 50 + "etc/passwd")
    yield at(".. behind a folder", "inner/../../m/weights", prepare=lambda f: os.mkdir(f + "/inner"))
    yield at("a file: address", "file:///etc/passwd")
    yield at("a folder of the user", "~/weights")
    yield at("backslashes", "..\\weights")
    yield at("the folder itself", ".")
    yield at("an empty path", "")
    yield at("a path of 1 MiB", "a" * (1 << 20))
    yield at("a path of 1 MiB with slashes", "a/" * (1 << 19))
    yield at("a path with a zero byte", "weights\0.bin")
    yield at("a path with a new line", "wei\nghts")
    yield at("a path with an escape sequence", "\x1b[2Jweights")
    yield at("a path that is not UTF-8", b"\xff\xfe")
    yield at("a missing file", "missing")
    yield at("a link to a file outside of the folder", "link",
             prepare=lambda f: os.symlink("../m2", f + "/link") or write(f + "/../m2", bytes(16)))
    yield at("a link to no file", "link", prepare=lambda f: os.symlink("missing", f + "/link"))
    yield at("a link to the memory of the process", "link",
             prepare=lambda f: os.symlink("/proc/self/mem", f + "/link"))
    yield at("a link to an open file of the process", "link",
             prepare=lambda f: os.symlink("/proc/self/fd/0", f + "/link"))
    yield at("a link to a FIFO", "link", prepare=lambda f: os.mkfifo(f + "/fifo")
             or os.symlink("fifo", f + "/link"))
    yield at("a link to the folder", "link", prepare=lambda f: os.symlink(".", f + "/link"))
    yield at("a link out of the folder", "link", prepare=lambda f: os.symlink("/etc/passwd", f + "/link"))
    yield at("a link to a folder", "up/weights", prepare=lambda f: os.symlink("..", f + "/up"))
    yield at("a link to itself", "loop", prepare=lambda f: os.symlink("loop", f + "/loop"))
    yield at("a link to /dev/zero", "zero", prepare=lambda f: os.symlink("/dev/zero", f + "/zero"))
    yield at("a hard link", "hard", prepare=lambda f: os.link(f + "/weights", f + "/hard"))
    yield at("a directory", "inner", prepare=lambda f: os.mkdir(f + "/inner"))
    yield at("a FIFO", "fifo", prepare=lambda f: os.mkfifo(f + "/fifo"))
    yield at("an empty file", "empty", prepare=lambda f: write(f + "/empty", b""))
    yield at("the model itself", "m.onnx")
    yield at("a file of 4 GiB without data", "large",
             prepare=lambda f: (write(f + "/large", b""), os.truncate(f + "/large", 4 << 30)))
    yield part("an offset beyond the file", "17", "1")
    yield part("an offset at the end", "16")
    yield part("a length beyond the file", "0", "17")
    yield part("an offset and a length beyond the file", "8", "16")
    yield part("an offset and a length whose sum wraps around", "8", str((1 << 64) - 4))
    yield part("the largest offset", str((1 << 64) - 1))
    yield part("an offset of more than 64 bits", str(1 << 64))
    yield part("a length of more than 64 bits", "0", str(1 << 80))
    yield part("a negative offset", "-4")
    yield part("a negative length", "0", "-16")
    yield part("an offset in hexadecimal", "0x0")
    yield part("an offset with blanks", " 0")
    yield part("an offset that is a fraction", "0.5")
    yield part("an offset that is text", "zero")
    yield part("an empty offset", "")
    yield part("an offset of 1 MiB", "0" * (1 << 20) + "x")
    yield part("a length that is short", "0", "12")
    yield part("a length that is 0", "0", "0")
    yield part("2^40 elements", dims=(1 << 40,))
    yield part("a negative size", dims=(-4,))
    yield Case("no location", in_folder([("offset", "0")]), "'w'")
    yield Case("no entries", in_folder([]), "'w'")
    yield Case("two locations", in_folder([("location", "weights"), ("location", "/etc/passwd")]), "'w'")
    yield Case("raw_data and external data", in_folder([("location", "weights")], more=text(9, bytes(16))),
               "'w'")
    yield Case("100000 entries", in_folder([("location", "missing")] * 100000), "'w'")
    entry = text(13, text(1, "location") + text(2, "weights"))

    def shared(path):
        write(beside(path, "weights"), bytes(16))
        write(path,
              model(graph([node("Relu", ["w0"], ["y"])],
                          [tensor(f"w{i}", [4], raw=False, more=number(14, 1) + entry)
                           for i in range(2000)])))
    yield Case("2000 tensors in one part of a file", shared, "'w2'")
    hidden = tensor("t", [4], raw=False,
                    more=number(14, 1) + text(13, text(1, "location") + text(2, "/etc/passwd")))
    yield Case("an attribute with an absolute path", one_node("Constant", [], {"value": hidden}), "'value'")
