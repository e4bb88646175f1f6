// SPDX-License-Identifier: Apache-2.0
// Lists of numbers as tensors, for public functions that append several ops.
#pragma once
#include <cutset/tensor.h>

#include <source_location>
#include <vector>

namespace cutset {

// Returns the numbers as a tensor [n] of the type `dtype`, which rounds them. A constant is small, so a long
// list is joined from several constants.
Tensor list_of(const std::shared_ptr<GraphState>& graph, const std::vector<double>& numbers, DType dtype,
               std::source_location source);

}  // namespace cutset
