// SPDX-License-Identifier: Apache-2.0
// The test problems of conv_backward_filter. They have the sizes of the test problems of conv.
#include "ir/ops/conv/conv_problems.h"
#include "ir/ops/conv_backward_filter/conv_backward_filter_rules.h"

namespace cutset::rules::conv_backward_filter {

static Case as_case(const ConvProblem& p) {
  return {p.name, p.attributes, {{{f32, conv_sizes(p).result()}}, {{f32, p.x}}, {{f32, p.filter}}},
          2e-5,   1e-5,         "sums of thousands of products in f32"};
}
OpCases cases() {
  OpCases all;
  for (const ConvProblem& p : conv_problems()) all.fixed.push_back(as_case(p));
  all.random = [](PhiloxSequence& r) { return as_case(random_conv_problem(r)); };
  return selecting(sharded(all, "padded", "0 0 - > +; 1 - 0 > 0; - 1 1 > 1"));
}

}  // namespace cutset::rules::conv_backward_filter
