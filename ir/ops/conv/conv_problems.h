// SPDX-License-Identifier: Apache-2.0
// The test problems that conv, conv_transpose and conv_backward_filter share.
#pragma once
#include "ir/core/op/op_case.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset {

struct ConvProblem {
  std::string name;
  Shape x, filter;
  Attributes attributes;  // stride, padding, dilation and groups, in this order
};
std::vector<ConvProblem> conv_problems();
// Draws a small valid problem.
ConvProblem random_conv_problem(PhiloxSequence& random);
// Returns the sizes of a problem.
ConvShape conv_sizes(const ConvProblem& problem);

}  // namespace cutset
