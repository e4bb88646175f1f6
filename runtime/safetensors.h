// The safetensors format: 8 bytes little-endian header length, a JSON header, raw little-endian data.
// Reading trusts nothing: the header is at most 100 MB, ranges must be without holes or overlaps, inside the file, and
// of the size their type and shape say. Memory for the tensors is that of the file. Writing is atomic.
#pragma once
#include <map>
#include <string>

#include "runtime/host_tensor.h"

namespace cutset {

using TensorMap = std::map<std::string, HostTensor>;
// The header's `__metadata__`: texts by name.
using Metadata = std::map<std::string, std::string>;
// `metadata`, where given, becomes the file's.
Result<TensorMap> read_safetensors(const std::string& path, Metadata* metadata = nullptr);
Status write_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata = {});

// What checkpoints say beside their tensors: the number of training steps that made them, as "cutset.step".
Metadata step_metadata(uint64_t step);
// Leaves `step` where there is none; fails on one that is not a number of steps.
Status read_step(const std::string& path, const Metadata& metadata, uint64_t& step);

}  // namespace cutset
