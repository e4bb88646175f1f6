// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the double of NCCL.
#pragma once
#include <cstddef>
#include <vector>

#include "backends/cuda/nccl/nccl_api.h"

namespace cutset::cuda::doubles {

// The sum of one vector per member, which every member receives.
struct HostSum {
  std::vector<const void*> from;  // by member
  std::vector<void*> to;
  size_t count;
  NcclType type;
  bool is_aborted = false;
};
// Adds the vectors in the order of the members.
void add_members(const HostSum& sum);
// Returns the bytes of an element, or 0 if the double does not add the type.
size_t bytes_of(NcclType type);

}  // namespace cutset::cuda::doubles
