// SPDX-License-Identifier: Apache-2.0
// Reads and writes the safetensors format: the length of the header (8 bytes, little-endian), a JSON header,
// and the raw little-endian data of the tensors. Checkpoints are such files.
//
// A file is untrusted. The header may have at most 100 MB. The ranges of the tensors must cover the data
// without holes and overlaps, and each range must have the size that the type and the shape imply. Reading
// allocates as much memory for the tensors as their data take in the file.
#pragma once
#include <map>
#include <string>

#include "ir/core/result.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

using TensorMap = std::map<std::string, HostTensor>;
// The strings of the header's `__metadata__`, by name.
using Metadata = std::map<std::string, std::string>;
// Returns the tensors of a file by name. If `metadata` is not null, sets it to the metadata of the file.
// Fails, naming the file and the tensor, if the file breaks a rule of the format, or if its metadata have a
// checksum and it is wrong. Files of other programs have no checksum.
Result<TensorMap> read_safetensors(const std::string& path, Metadata* metadata = nullptr);
// Returns the metadata of a file. Checks the header as read_safetensors() does, but does not read the
// tensors.
Result<Metadata> read_safetensors_metadata(const std::string& path);
// Writes a file atomically (see write_file). Adds a checksum of the tensors and the metadata to the metadata,
// "cutset.checksum". The checksum finds damage that the format cannot find, such as a changed element. Fails
// on a name that is not UTF-8, on the name `__metadata__`, and on an element type that the format does not
// have.
Status write_safetensors(const std::string& path, const TensorMap& tensors, const Metadata& metadata = {});

// Returns the metadata of a checkpoint: the number of training steps that produced its tensors, as
// "cutset.step".
Metadata step_metadata(uint64_t step);
// Sets `step` to the number of training steps in `metadata`, and leaves it unchanged if there is none. Fails
// if the entry is not a number of steps (0 to 2^62). The error names `path`.
Status read_step(const std::string& path, const Metadata& metadata, uint64_t& step);

}  // namespace cutset
