// SPDX-License-Identifier: Apache-2.0
// The rows that each row of a resized tensor is made of, along one axis. The numbers are computed while the
// graph is built.
#pragma once
#include <cutset/onnx_ops/resize.h>

#include <cstdint>
#include <vector>

namespace cutset::onnx_ops {

// The size of an axis before and after it is resized, and the scale between the two.
struct AxisScale {
  int64_t from = 0, to = 0;
  // The scale is numerator / denominator. If sizes are given, they are these two numbers, so that positions
  // that are whole numbers are exact.
  double numerator = 1, denominator = 1;
  double crop_start = 0, crop_end = 1;  // for kCrop
};

// Row r of the result is the sum over t of weights[t * to + r] times row indices[t * to + r].
struct AxisTaps {
  int64_t taps = 1;
  std::vector<double> indices, weights;  // [taps, to]; all indices are rows of the tensor
  std::vector<double> outside;  // [to]: 1 where the extrapolation value replaces a row; empty if nowhere
  bool copies = true;           // whether there is one tap, with the weight 1
  bool unchanged = false;       // whether the result is the tensor itself
};

// Returns the largest number of taps of a row that taps_of computes for the axis, or infinity.
double most_taps(const AxisScale& axis, const ResizeOptions& options);

// Returns the taps of an axis. Its sizes must be positive, and its sizes and most_taps times `to` must be
// below 2^31.
AxisTaps taps_of(const AxisScale& axis, const ResizeOptions& options);

}  // namespace cutset::onnx_ops
