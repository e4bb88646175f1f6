// SPDX-License-Identifier: Apache-2.0
// The layout of a bucket: several tensors in one buffer, which are transferred together.
#pragma once
#include "ir/core/types.h"

namespace cutset::passes {

// Returns the type of the buffer that holds all tensors of a collective. A single tensor has its own type.
TensorType bucket_type(const Types& tensors, uint64_t alignment);
// Returns the offset of the next tensor in such a buffer if `tensor` is at `offset`.
int64_t next_in_bucket(int64_t offset, const TensorType& tensor, uint64_t alignment);

}  // namespace cutset::passes
