# SPDX-License-Identifier: Apache-2.0
"""Writes safetensors files with variables for `cutset train --init`, and reads the files of `cutset train
--save`."""
import json
import struct

import numpy as np


def save(path, tensors):
    """Writes tensors of PyTorch, by name, as f32."""
    header, at, body = {}, 0, []
    for name, t in tensors.items():
        raw = np.ascontiguousarray(t.detach().numpy().astype("<f4")).tobytes()
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + len(raw)]}
        at += len(raw)
        body.append(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(body)


def load(path):
    """Returns the tensors of f32 in the file, as arrays by name."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header, body = json.loads(file.read(size)), file.read()
    return {name: np.frombuffer(body[e["data_offsets"][0] : e["data_offsets"][1]], "<f4").reshape(e["shape"])
            for name, e in header.items() if name != "__metadata__" and e["dtype"] == "F32"}
