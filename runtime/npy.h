// Tensors as NumPy's .npy files (numpy.lib.format, versions 1 to 3), little-endian, C order.
#pragma once
#include <string>

#include "runtime/host_tensor.h"

namespace cutset {

// f4 f8 i4 i8 u1 i1 b1. Anything else (Fortran order, big-endian, objects, sizes that lie) is refused with a
// sentence; nothing is allocated beyond the file's own size.
Result<HostTensor> read_npy(const std::string& path);
Status write_npy(const std::string& path, const HostTensor& tensor);  // atomic

}  // namespace cutset
