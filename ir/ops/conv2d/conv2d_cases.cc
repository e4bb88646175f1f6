#include "ir/ops/conv2d/conv2d_problems.h"
#include "ir/ops/conv2d/conv2d_rules.h"
#include "ir/ops/conv2d/conv2d_shape.h"

namespace cutset {

// A number for the rows and one for the columns.
struct Pair {
  int64_t rows, columns;
  Pair(int64_t both) : rows(both), columns(both) {}
  Pair(int64_t r, int64_t c) : rows(r), columns(c) {}
  std::vector<int64_t> list() const { return {rows, columns}; }
};
static Attributes conv_attributes(Pair stride, Pair padding, Pair dilation, int64_t groups) {
  return {{"stride", stride.list()}, {"padding", padding.list()}, {"dilation", dilation.list()}, {"groups", groups}};
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
          {"filter as large as the image", {3, 2, 4, 4}, {5, 2, 4, 4}, conv_attributes(1, 0, 1, 1)},
          {"unequal strides", {2, 3, 9, 11}, {4, 3, 3, 2}, conv_attributes({2, 3}, 0, 1, 1)},
          {"unequal padding", {2, 3, 6, 7}, {4, 3, 3, 5}, conv_attributes(1, {0, 2}, 1, 1)},
          {"unequal dilations", {2, 2, 9, 8}, {3, 2, 2, 3}, conv_attributes(1, 0, {3, 1}, 1)},
          {"all unequal", {2, 4, 11, 9}, {6, 2, 2, 3}, conv_attributes({1, 2}, {2, 1}, {2, 3}, 2)},
          {"no images", {0, 3, 5, 6}, {4, 3, 3, 2}, conv_attributes(1, 1, 1, 1)},
          {"no filters", {2, 3, 5, 6}, {0, 3, 3, 2}, conv_attributes(1, 1, 1, 1)},
          {"no channels", {2, 0, 5, 6}, {4, 0, 3, 2}, conv_attributes(1, 1, 1, 1)},
          {"padding alone", {1, 2, 0, 3}, {2, 2, 1, 1}, conv_attributes(1, {1, 0}, 1, 1)},
          {"several chunks of images", {5, 2, 32, 32}, {4, 1, 12, 12}, conv_attributes(1, 0, 1, 2)}};
}

Conv2dProblem random_conv2d_problem(PhiloxSequence& r) {
  auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
  int64_t groups = one_to(2), cg = one_to(3), og = one_to(3), k = one_to(3), l = one_to(3);
  auto up_to = [&](uint64_t n) { return static_cast<int64_t>(r.below(n + 1)); };
  const int64_t sh = one_to(3), sw = one_to(3), dh = one_to(2), dw = one_to(2), ph = up_to(2), pw = up_to(2);
  const int64_t h = dh * (k - 1) + one_to(6), w = dw * (l - 1) + one_to(6);
  return {"random",
          {one_to(3), groups * cg, h, w},
          {groups * og, cg, k, l},
          conv_attributes({sh, sw}, {ph, pw}, {dh, dw}, groups)};
}

Shape conv2d_result(const Conv2dProblem& p) {
  auto pair = [&](size_t i) {
    auto& v = std::get<IntList>(p.attributes[i].second);
    return cutset_i64s{v.data(), v.size()};
  };
  auto s = conv2d_shape(p.x, p.filter, pair(0), pair(1), pair(2), std::get<int64_t>(p.attributes[3].second));
  return {s->n, s->o, s->oh, s->ow};
}

namespace rules::conv2d {

static Case as_case(const Conv2dProblem& p, bool bias) {
  Case c{p.name, p.attributes, {{{f32, p.x}}, {{f32, p.filter}}}, 2e-5, 1e-5, "sums of up to 500 products in f32"};
  if (bias) c.name += " with bias", c.operands.push_back({{f32, {p.filter[0]}}});
  return c;
}

OpCases cases() {
  OpCases all;
  for (const Conv2dProblem& p : conv2d_problems()) all.fixed.push_back(as_case(p, false));
  for (size_t i : {0, 1, 6, 18}) all.fixed.push_back(as_case(conv2d_problems()[i], true));
  all.random = [](PhiloxSequence& r) { return as_case(random_conv2d_problem(r), r.below(2) == 0); };
  return all;
}

}  // namespace rules::conv2d
}  // namespace cutset
