// SPDX-License-Identifier: Apache-2.0
#include <cutset/pinned_memory.h>

#include <algorithm>

#include "runtime/files/host_pool.h"
#include "runtime/files/uninitialized.h"

namespace cutset {

HostTensor PinnedMemory::zeros(TensorType type, std::source_location where) const {
  const HostPool::Use use(*pool_);
  HostTensor made = uninitialized(std::move(type), where);
  std::ranges::fill(made.bytes(), 0);
  return made;
}

}  // namespace cutset
