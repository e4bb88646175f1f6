// Kernels that read a tensor with given sizes and strides, for transpose, expand, and operands that are broadcast.
#pragma once
#include <vector>

#include "backends/portable/launches.h"
#include "ir/core/tensor_view.h"

namespace cutset::portable {

// A loop over the elements of a result in row-major order, which reads each operand with strides of its own.
struct StridedLoop {
  int rank = 0;  // how many of the following sizes and strides are used
  int64_t sizes[kMaxRank] = {};
  std::vector<Strides> strides;  // of each operand
  // Whether element i of the result depends on element i of each operand.
  bool flat() const;
};
// The loop over `shape` with as few dimensions as possible. Dimensions of size 1 are left out. Neighbouring dimensions become one
// dimension if every operand is read with one stride along both, so a loop over equal shapes has at most one dimension.
StridedLoop strided_loop(std::span<const int64_t> shape, std::span<const Strides> operands);

// `rank` sizes or strides as an argument of the type int8. The last dimension is the last component. The
// unused leading components are set to `fill`.
Argument::Vector eight(const int64_t* from, int rank, int fill);
// The source of the function int offset_of(int element, int8 shape, int8 stride) for tensors with at most `rank`
// dimensions. The function converts `element`, a row-major index into `shape`, to the offset that the strides `stride`
// give it in another tensor.
std::string offset_function(int rank);

// Appends a launch that sets element i of y, which has the shape `shape`, to the element of x whose offset `strides`
// give. Elements have `bytes` bytes.
void add_gather(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes, Argument x,
                Argument y);

}  // namespace cutset::portable
