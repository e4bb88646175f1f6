// The convolutions that the forward op and both backward ops are tried on.
#pragma once
#include "ir/core/op_case.h"

namespace cutset {

struct Conv2dProblem {
  std::string name;
  Shape x, filter;
  Attributes attributes;
};
std::vector<Conv2dProblem> conv2d_problems();
Conv2dProblem random_conv2d_problem(PhiloxSequence& random);
Shape conv2d_result(const Conv2dProblem& problem);

}  // namespace cutset
