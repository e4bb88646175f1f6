# SPDX-License-Identifier: Apache-2.0
"""Reads the IDX files of Fashion-MNIST."""
import gzip
import struct

import numpy as np


def read(path):
    """Returns the array in a file that is compressed with gzip."""
    with gzip.open(path) as file:
        raw = file.read()
    shape = struct.unpack(f">{raw[3]}I", raw[4 : 4 + 4 * raw[3]])
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)
