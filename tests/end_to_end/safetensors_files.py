# SPDX-License-Identifier: Apache-2.0
"""Reads and writes safetensors files: the size of a header, the header in JSON, and the bytes of the
tensors."""

import json
import struct

TYPES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64"}  # of NumPy and of the format


def read_safetensors(path):
    """Returns the header and the bytes after it."""
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    return json.loads(raw[8:8 + size]), raw[8 + size:]


def write_safetensors(path, header, data):
    """Writes a file with this header, and returns its path."""
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)
    return path


def changed_notes(path, to, checksum=True, **notes):
    """Writes a copy of a file with other notes to `to`, and returns `to`. None removes a note, and `checksum`
    says whether the checksum stays."""
    header, data = read_safetensors(path)
    metadata = {**header["__metadata__"], **({} if checksum else {"cutset.checksum": None}), **notes}
    kept = {name: note for name, note in metadata.items() if note is not None}
    return write_safetensors(to, {**header, "__metadata__": kept}, data)


def tensors(path):
    """Returns the tensors of a file, as bytes by name."""
    header, data = read_safetensors(path)
    header.pop("__metadata__", None)
    return {name: data[slice(*entry["data_offsets"])] for name, entry in header.items()}


def write_arrays(path, arrays):
    """Writes arrays of NumPy, which are given by name, and returns the path."""
    header, at = {}, 0
    for name, value in arrays.items():
        header[name] = {
            "dtype": TYPES[str(value.dtype)],
            "shape": list(value.shape),
            "data_offsets": [at, at + value.nbytes],
        }
        at += value.nbytes
    return write_safetensors(path, header, b"".join(value.tobytes() for value in arrays.values()))
