// The safetensors format: 8 bytes little-endian header length, a JSON header, raw little-endian data.
// Reading trusts nothing: the header is at most 100 MB, ranges must be sorted, without holes or overlaps,
// inside the file, and of the size their type and shape say. Writing is atomic.
#pragma once
#include <map>
#include <string>

#include "runtime/host_tensor.h"

namespace cutset {

using TensorMap = std::map<std::string, HostTensor>;
Result<TensorMap> read_safetensors(const std::string& path);
Status write_safetensors(const std::string& path, const TensorMap& tensors);

}  // namespace cutset
