// SPDX-License-Identifier: Apache-2.0
// The windows of convolutions and poolings.
#pragma once
#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// The windows of an image. Each list has one number per dimension after the channels.
struct Windows {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after;  // rows of padding on each side
};

// Returns the windows of a node with the attributes strides, dilations, pads and auto_pad. `kernel` is the
// size of a window, and `size` is the size of the image. Throws kInvalidData if the lists have different
// lengths, or if a number is out of range.
Windows windows_of(const Node& node, const std::vector<int64_t>& kernel, const std::vector<int64_t>& size);
// Returns the attribute `name`, a list of `length` numbers. If it is not given, each number is `otherwise`.
// Throws kInvalidData if the list has another length, or if a number is below `least` or too large for a
// window.
std::vector<int64_t> numbers_per_axis(const Node& node, const char* name, size_t length, int64_t otherwise,
                                      int64_t least);
// Returns the sizes of the dimensions of x after the batch and the channels. Throws kUnsupported unless there
// are one to three dimensions of at most 2^32 elements each.
std::vector<int64_t> spatial_size(const TensorType& x);
// Returns `before` followed by `after`, as the ops take padding.
std::vector<int64_t> both_sides(const Windows& windows);

}  // namespace cutset::onnx
