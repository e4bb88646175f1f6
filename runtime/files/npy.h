// SPDX-License-Identifier: Apache-2.0
// Reads and writes tensors as NumPy's .npy files: numpy.lib.format, versions 1 to 3, little-endian.
#pragma once
#include <string>

#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Reads a file of the types f2, f4, f8, b1, and i and u of 1 to 8 bytes. An array in Fortran order is
// transposed to row-major order. Fails on every other type, on big-endian data, and on a shape that does not
// match the size of the file. A file is untrusted: reading allocates at most twice its size.
Result<HostTensor> read_npy(const std::string& path);
// Writes the file in row-major order and atomically (see write_file). Fails for bf16, which NumPy does not
// have.
Status write_npy(const std::string& path, const HostTensor& tensor);
// Returns NumPy's name of an element type, such as "int64" for i64, or null for bf16.
const char* numpy_name(DType dtype);

}  // namespace cutset
