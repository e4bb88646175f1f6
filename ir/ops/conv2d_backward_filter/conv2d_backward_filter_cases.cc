// The test problems of conv2d_backward_filter. They have the sizes of the test problems of conv2d.
#include "ir/ops/conv2d/conv2d_problems.h"
#include "ir/ops/conv2d_backward_filter/conv2d_backward_filter_rules.h"

namespace cutset::rules::conv2d_backward_filter {

static Case as_case(const Conv2dProblem& p) {
  return {p.name, p.attributes, {{{f32, conv2d_result(p)}}, {{f32, p.x}}, {{f32, p.filter}}},
          2e-5,   1e-5,         "sums of thousands of products in f32"};
}
OpCases cases() {
  OpCases all;
  for (const Conv2dProblem& p : conv2d_problems()) all.fixed.push_back(as_case(p));
  all.random = [](PhiloxSequence& r) { return as_case(random_conv2d_problem(r)); };
  return all;
}

}  // namespace cutset::rules::conv2d_backward_filter
