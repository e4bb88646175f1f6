// SPDX-License-Identifier: Apache-2.0
// Makes tensors whose bytes the caller overwrites.
#pragma once
#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns a tensor with undefined bytes: it may have the bytes of another tensor. The caller must write all
// bytes before it hands out the tensor. The memory comes from HostPool::current(), if there is one. Throws as
// HostTensor(type) does.
HostTensor uninitialized(TensorType type, std::source_location source = std::source_location::current());

// Returns a copy of the tensor in memory of HostPool::current(), if there is one.
HostTensor copied(const HostTensor& tensor);

}  // namespace cutset
