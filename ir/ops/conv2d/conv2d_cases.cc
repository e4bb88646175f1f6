#include "ir/ops/conv2d/conv2d_problems.h"
#include "ir/ops/conv2d/conv2d_rules.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset {

static Attributes conv_attributes(int64_t stride, int64_t padding, int64_t dilation, int64_t groups) {
  return {{"stride", std::vector<int64_t>{stride, stride}},
          {"padding", std::vector<int64_t>{padding, padding}},
          {"dilation", std::vector<int64_t>{dilation, dilation}},
          {"groups", groups}};
}

std::vector<Conv2dProblem> conv2d_problems() {
  return {{"lenet conv1", {4, 1, 28, 28}, {20, 1, 5, 5}, conv_attributes(1, 0, 1, 1)},
          {"lenet conv2", {2, 20, 12, 12}, {50, 20, 5, 5}, conv_attributes(1, 0, 1, 1)},
          {"padded", {2, 3, 9, 7}, {4, 3, 3, 3}, conv_attributes(1, 1, 1, 1)},
          {"strided", {1, 2, 11, 9}, {3, 2, 3, 3}, conv_attributes(2, 0, 1, 1)},
          {"strided and padded", {2, 3, 13, 13}, {8, 3, 5, 5}, conv_attributes(4, 2, 1, 1)},
          {"dilated", {1, 2, 12, 12}, {2, 2, 3, 3}, conv_attributes(1, 2, 2, 1)},
          {"grouped", {2, 4, 6, 6}, {6, 2, 3, 3}, conv_attributes(1, 1, 1, 2)},
          {"depthwise", {1, 3, 8, 8}, {3, 1, 3, 3}, conv_attributes(1, 1, 1, 3)},
          {"1x1", {2, 5, 4, 4}, {7, 5, 1, 1}, conv_attributes(1, 0, 1, 1)},
          {"filter as large as the image", {3, 2, 4, 4}, {5, 2, 4, 4}, conv_attributes(1, 0, 1, 1)}};
}

Conv2dProblem random_conv2d_problem(PhiloxSequence& r) {
  auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
  int64_t groups = one_to(2), cg = one_to(3), og = one_to(3), k = one_to(3), l = one_to(3);
  int64_t stride = one_to(2), dilation = one_to(2), padding = static_cast<int64_t>(r.below(2));
  int64_t h = dilation * (k - 1) + one_to(6), w = dilation * (l - 1) + one_to(6);
  return {"random",
          {one_to(3), groups * cg, h, w},
          {groups * og, cg, k, l},
          conv_attributes(stride, padding, dilation, groups)};
}

Shape conv2d_result(const Conv2dProblem& p) {
  auto pair = [&](size_t i) {
    auto& v = std::get<std::vector<int64_t>>(p.attributes[i].second);
    return cutset_i64s{v.data(), v.size()};
  };
  auto s = conv2d_shape(p.x, p.filter, pair(0), pair(1), pair(2), std::get<int64_t>(p.attributes[3].second));
  return {s->n, s->o, s->oh, s->ow};
}

namespace ops::conv2d {

static Case as_case(const Conv2dProblem& p, bool bias) {
  Case c{p.name, p.attributes, {{{f32, p.x}}, {{f32, p.filter}}}, 2e-5, 1e-5, "sums of up to 500 products in f32"};
  if (bias) c.name += " with bias", c.operands.push_back({{f32, {p.filter[0]}}});
  return c;
}

OpCases cases() {
  OpCases all;
  for (const Conv2dProblem& p : conv2d_problems()) all.fixed.push_back(as_case(p, false));
  for (size_t i : {0, 1, 6}) all.fixed.push_back(as_case(conv2d_problems()[i], true));
  all.random = [](PhiloxSequence& r) { return as_case(random_conv2d_problem(r), r.below(2) == 0); };
  return all;
}

}  // namespace ops::conv2d
}  // namespace cutset
