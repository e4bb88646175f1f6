// SPDX-License-Identifier: Apache-2.0
// The windows of convolutions and poolings as attributes of ONNX.
#pragma once
#include "frontends/onnx/export/exported_op.h"

namespace cutset::onnx {

// Returns a list attribute with one number per axis. An empty list of Cutset means `otherwise` for each axis.
inline std::vector<int64_t> per_axis(const ExportedOp& op, const char* name, size_t axes,
                                     int64_t otherwise = 1) {
  const std::vector<int64_t>& numbers = op.numbers(name);
  return numbers.empty() ? std::vector<int64_t>(axes, otherwise) : numbers;
}

// Returns the attribute `padding`: the rows before the image for all axes, and then the rows after it.
inline std::vector<int64_t> both_sides(const ExportedOp& op, size_t axes) {
  std::vector<int64_t> pads = per_axis(op, "padding", axes, 0);
  if (pads.size() == axes) pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<int64_t>(axes));
  return pads;
}

}  // namespace cutset::onnx
