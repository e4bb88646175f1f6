// The test problems that conv2d and its two backward ops share.
#pragma once
#include "ir/core/op_case.h"

namespace cutset {

struct Conv2dProblem {
  std::string name;
  Shape x, filter;
  Attributes attributes;  // stride, padding, dilation and groups, in this order
};
std::vector<Conv2dProblem> conv2d_problems();
// A small valid problem.
Conv2dProblem random_conv2d_problem(PhiloxSequence& random);
// The shape of the result of conv2d.
Shape conv2d_result(const Conv2dProblem& problem);

}  // namespace cutset
