// SPDX-License-Identifier: Apache-2.0
// Loops over the elements of a result that read operands with strides.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "backends/portable/launches.h"
#include "ir/core/tensor_view.h"

namespace cutset::portable {

// A loop over the elements of a result in row-major order. Each operand is read with its own strides.
struct StridedLoop {
  int rank = 0;  // the number of sizes and strides below that are used
  int64_t sizes[kMaxRank] = {};
  std::vector<Strides> strides;  // the strides of each operand
  // Whether element i of the result depends only on element i of each operand.
  bool is_contiguous() const;
};
// Returns the loop over `shape` with as few dimensions as possible. Dimensions of size 1 are left out. Two
// neighbouring dimensions are joined if each operand can be read along both with one stride. A loop over
// operands of equal shapes therefore has at most one dimension.
StridedLoop strided_loop(std::span<const int64_t> shape, std::span<const Strides> operands);

// Returns `rank` sizes or strides as an argument of the type int8. The last dimension is the last component.
// The unused leading components are set to `fill`.
Argument::Vector eight(const int64_t* from, int rank, int fill);
// Returns the source of the function int offset_of(int element, int8 shape, int8 stride) for tensors with at
// most `rank` dimensions. The function converts `element`, a row-major index into `shape`, to an offset in
// another tensor, which has the strides `stride`.
std::string offset_function(int rank);

}  // namespace cutset::portable
