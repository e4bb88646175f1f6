// The windows of convolutions and poolings.
#pragma once
#include "frontends/onnx/node.h"

namespace cutset::onnx {

// One number per dimension behind the channels.
struct Windows {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after;  // rows of padding on each side
};

// The windows of a node with the attributes strides, dilations, pads, auto_pad and ceil_mode. `kernel` is the size of a window,
// and `size` that of the operand. Throws kInvalidData if the numbers of elements differ, or if a number is out of range. With
// ceil_mode, `after` includes the rows of the last window that lie behind the padding.
Windows windows_of(const Node& node, const std::vector<int64_t>& kernel, const std::vector<int64_t>& size);

}  // namespace cutset::onnx
