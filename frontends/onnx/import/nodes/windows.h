// SPDX-License-Identifier: Apache-2.0
// The windows of convolutions and poolings.
#pragma once
#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// One number per dimension behind the channels.
struct Windows {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after;  // rows of padding on each side
};

// The windows of a node with the attributes strides, dilations, pads and auto_pad. `kernel` is the size of a
// window, and `size` that of the operand. Throws kInvalidData if the numbers of elements differ, or if a
// number is out of range.
Windows windows_of(const Node& node, const std::vector<int64_t>& kernel, const std::vector<int64_t>& size);
// The `length` numbers of the attribute `name`, each of them `otherwise` if it is not given. Throws
// kInvalidData if there is another number of them, or if one is below `least` or too large for a window.
std::vector<int64_t> numbers_per_axis(const Node& node, const char* name, size_t length, int64_t otherwise,
                                      int64_t least);
// The dimensions of x behind the batch and the channels. Throws kUnsupported unless there are one to three,
// of at most 2^32 elements each.
std::vector<int64_t> spatial_size(const TensorType& x);
// `before` and then `after`, as the ops take padding.
std::vector<int64_t> both_sides(const Windows& windows);

}  // namespace cutset::onnx
