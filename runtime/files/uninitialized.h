// SPDX-License-Identifier: Apache-2.0
// Tensors that are made to be overwritten.
#pragma once
#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns a tensor whose bytes are undefined: they may be those of another tensor. The caller must write all
// of them before it hands out the tensor. The memory is that of HostPool::current(), if there is one. Throws
// as HostTensor(type) does.
HostTensor uninitialized(TensorType type, std::source_location source = std::source_location::current());

// Returns a copy of the tensor in such memory.
HostTensor copied(const HostTensor& tensor);

}  // namespace cutset
