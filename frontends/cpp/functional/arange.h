// SPDX-License-Identifier: Apache-2.0
// Positions as tensors, for public functions that append several ops.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset {

// Returns the numbers 0, 1, ..., size - 1, of a numeric type, in the graph. `size` is from 0 to 2^44.
Tensor arange_of(const std::shared_ptr<GraphState>& graph, int64_t size, DType dtype,
                 std::source_location source);

}  // namespace cutset
