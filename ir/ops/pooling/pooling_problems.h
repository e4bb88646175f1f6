// SPDX-License-Identifier: Apache-2.0
// The test problems that all poolings share.
#pragma once
#include "ir/core/op/op_case.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset {

struct PoolProblem {
  std::string name;
  Shape x;
  IntList kernel, stride = {}, padding = {}, dilation = {};
  bool ceil_mode = false;

  Attributes attributes() const;
  PoolShape sizes() const;
  bool has_empty_window() const;  // whether a window has all its elements in the padding
};
std::vector<PoolProblem> pool_problems();
// Draws a small valid problem.
PoolProblem random_pool_problem(PhiloxSequence& random);

}  // namespace cutset
