// Reads and writes tensors as NumPy's .npy files: numpy.lib.format, versions 1 to 3, little-endian, in C order.
#pragma once
#include <string>

#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Reads a file of the types f4, f8, i4, i8, u1, i1 or b1. Fails on every other type, on Fortran order, on big-endian
// data, and on a shape that does not match the size of the file. A file is untrusted: reading allocates at most twice
// its size.
Result<HostTensor> read_npy(const std::string& path);
// Writes the file atomically (see write_file). Fails for element types that NumPy does not have (f16 and bf16).
Status write_npy(const std::string& path, const HostTensor& tensor);

}  // namespace cutset
