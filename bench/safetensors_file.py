"""Writes the safetensors files from which `cutset train --init` reads variables."""
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
