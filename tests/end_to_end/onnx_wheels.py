# SPDX-License-Identifier: Apache-2.0
"""Lets a script import onnx and numpy, which the set-up script has put into folders of their own."""
import sys

from harness import source

for wheel in ("onnx", "numpy", "protobuf", "ml_dtypes", "typing_extensions"):
    sys.path.insert(0, f"{source}/build/deps/{wheel}")
