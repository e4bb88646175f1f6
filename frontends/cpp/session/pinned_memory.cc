// SPDX-License-Identifier: Apache-2.0
#include <cutset/pinned_memory.h>

#include <algorithm>

#include "runtime/files/host_pool.h"
#include "runtime/files/uninitialized.h"

namespace cutset {

HostTensor PinnedMemory::zeros(TensorType type, std::source_location source) const {
  const HostPool::Use use(*pool_);
  HostTensor tensor = uninitialized(std::move(type), source);
  std::ranges::fill(tensor.bytes(), 0);
  return tensor;
}

}  // namespace cutset
