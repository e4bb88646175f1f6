// SPDX-License-Identifier: Apache-2.0
#include "ir/core/op/clip_gradients.h"

#include "ir/core/op/update_rules.h"

namespace cutset {

static GraphValue as(GradientBuilder& b, GraphValue value, DType type) {
  return b.type(value).dtype == type ? value : b("cast", {value}, {{"dtype", type}});
}

// In f16, the square of 256 is infinite, so the squares of 16-bit numbers are added in f32.
GraphValue square_sum(GradientBuilder& b, GraphValue gradient) {
  gradient = as(b, gradient, update_type(b.type(gradient).dtype));
  const GraphValue squares = b("mul", {gradient, gradient});
  return b.type(gradient).rank() == 0 ? squares : b("reduce_sum", {squares});
}

GraphValue clip_factor(GradientBuilder& b, const GraphValues& square_sums, GraphValue limit) {
  const DType type = b.type(limit).dtype;
  GraphValues sums;
  for (const GraphValue s : square_sums) sums.push_back(as(b, s, type));
  const GraphValue norm = b("sqrt", {sums.size() > 1 ? b("add_n", sums) : sums.front()});
  const GraphValue factor =
      b("minimum", {b("div", {limit, b("add", {norm, b.constant(type, 1e-6)})}), b.constant(type, 1)});
  return b("add", {factor, b("mul", {norm, b.constant(type, 0)})});  // NaN if the norm is infinite
}

GraphValue scaled_gradient(GradientBuilder& b, GraphValue gradient, GraphValue factor) {
  return b("scale_gradient", {gradient, as(b, factor, update_type(b.type(gradient).dtype))});
}

GraphValue clipped_gradient(GradientBuilder& b, GraphValue gradient, GraphValue limit) {
  return b("clip_gradient", {gradient, as(b, limit, update_type(b.type(gradient).dtype))});
}

}  // namespace cutset
