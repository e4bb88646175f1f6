// SPDX-License-Identifier: Apache-2.0
// The test problems of conv_transpose. They have the sizes of the test problems of conv: the result of
// conv_transpose has the sizes of the images of conv.
#include "ir/ops/conv/conv_problems.h"
#include "ir/ops/conv_transpose/conv_transpose_rules.h"

namespace cutset::rules::conv_transpose {

static Case as_case(const ConvProblem& p) {
  return {p.name, p.attributes, {{{f32, conv_sizes(p).result()}}, {{f32, p.filter}}, {{f32, p.x}}},
          2e-5,   1e-5,         "sums of thousands of products in f32"};
}
// Returns the same problem without `like`: output_padding gives the sizes that the strides leave open.
static Case without_like(const ConvProblem& p) {
  const ConvShape s = conv_sizes(p);
  IntList rest;
  for (size_t i = s.axes.size() - s.rank; i < s.axes.size(); ++i) {
    const WindowAxis& axis = s.axes[i];
    rest.push_back((axis.padded() - axis.extent()) % axis.stride);
  }
  Case c = as_case(p);
  c.name += " without like";
  c.attributes.push_back({"output_padding", rest});
  c.operands.pop_back();
  return c;
}
OpCases cases() {
  OpCases all;
  for (const ConvProblem& p : conv_problems()) all.fixed.push_back(as_case(p));
  for (size_t i : {2, 3, 4, 10, 13, 14, 15, 17, 19, 20, 23, 26, 27})
    all.fixed.push_back(without_like(conv_problems()[i]));
  all.random = [](PhiloxSequence& r) {
    const ConvProblem p = random_conv_problem(r);
    return r.below(2) ? without_like(p) : as_case(p);
  };
  return selecting(sharded(all, "padded", "0 - 0 > 0; 1 0 - > +; - 1 1 > 1"));
}

}  // namespace cutset::rules::conv_transpose
