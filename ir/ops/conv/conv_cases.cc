// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/conv/conv_problems.h"
#include "ir/ops/conv/conv_rules.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset {

static Attributes conv_attributes(IntList stride, IntList padding, IntList dilation, int64_t groups) {
  return {{"stride", std::move(stride)},
          {"padding", std::move(padding)},
          {"dilation", std::move(dilation)},
          {"groups", groups}};
}

std::vector<ConvProblem> conv_problems() {
  return {
      {"lenet conv1", {4, 1, 28, 28}, {20, 1, 5, 5}, conv_attributes({1, 1}, {0, 0}, {1, 1}, 1)},
      {"lenet conv2", {2, 20, 12, 12}, {50, 20, 5, 5}, conv_attributes({}, {}, {}, 1)},
      {"padded", {2, 3, 9, 7}, {4, 3, 3, 3}, conv_attributes({1, 1}, {1, 1}, {1, 1}, 1)},
      {"strided", {1, 2, 11, 9}, {3, 2, 3, 3}, conv_attributes({2, 2}, {}, {}, 1)},
      {"strided and padded", {2, 3, 13, 13}, {8, 3, 5, 5}, conv_attributes({4, 4}, {2, 2}, {}, 1)},
      {"dilated", {1, 2, 12, 12}, {2, 2, 3, 3}, conv_attributes({}, {2, 2}, {2, 2}, 1)},
      {"grouped", {2, 4, 6, 6}, {6, 2, 3, 3}, conv_attributes({}, {1, 1}, {}, 2)},
      {"depthwise", {1, 3, 8, 8}, {3, 1, 3, 3}, conv_attributes({}, {1, 1}, {}, 3)},
      {"1x1", {2, 5, 4, 4}, {7, 5, 1, 1}, conv_attributes({}, {}, {}, 1)},
      {"filter as large as the image", {3, 2, 4, 4}, {5, 2, 4, 4}, conv_attributes({}, {}, {}, 1)},
      {"unequal strides", {2, 3, 9, 11}, {4, 3, 3, 2}, conv_attributes({2, 3}, {}, {}, 1)},
      {"unequal padding", {2, 3, 6, 7}, {4, 3, 3, 5}, conv_attributes({}, {0, 2}, {}, 1)},
      {"unequal dilations", {2, 2, 9, 8}, {3, 2, 2, 3}, conv_attributes({}, {}, {3, 1}, 1)},
      {"all unequal", {2, 4, 11, 9}, {6, 2, 2, 3}, conv_attributes({1, 2}, {2, 1}, {2, 3}, 2)},
      {"no images", {0, 3, 5, 6}, {4, 3, 3, 2}, conv_attributes({}, {1, 1}, {}, 1)},
      {"no filters", {2, 3, 5, 6}, {0, 3, 3, 2}, conv_attributes({}, {1, 1}, {}, 1)},
      {"no channels", {2, 0, 5, 6}, {4, 0, 3, 2}, conv_attributes({}, {1, 1}, {}, 1)},
      {"padding alone", {1, 2, 0, 3}, {2, 2, 1, 1}, conv_attributes({}, {1, 0}, {}, 1)},
      {"several chunks of images", {5, 2, 32, 32}, {4, 1, 12, 12}, conv_attributes({}, {}, {}, 2)},
      {"one pixel", {2, 3, 1, 1}, {4, 3, 1, 1}, conv_attributes({2, 3}, {}, {}, 1)},
      {"padding of one side", {2, 3, 6, 7}, {4, 3, 3, 5}, conv_attributes({2, 1}, {0, 3, 1, 0}, {}, 1)},
      {"depthwise with two filters per channel", {2, 3, 5, 6}, {6, 1, 3, 2}, conv_attributes({}, {}, {}, 3)},
      {"one axis", {2, 3, 17}, {4, 3, 5}, conv_attributes({}, {}, {}, 1)},
      {"one axis, grouped, strided, padded and dilated",
       {2, 4, 16},
       {6, 2, 3},
       conv_attributes({3}, {1, 2}, {2}, 2)},
      {"one axis, depthwise", {1, 3, 9}, {3, 1, 4}, conv_attributes({1}, {2}, {}, 3)},
      {"one axis of one element", {2, 3, 1}, {4, 3, 3}, conv_attributes({}, {1}, {}, 1)},
      {"three axes", {2, 3, 5, 6, 7}, {4, 3, 3, 2, 4}, conv_attributes({}, {}, {}, 1)},
      {"three axes, all unequal",
       {2, 4, 7, 6, 9},
       {6, 2, 2, 3, 2},
       conv_attributes({2, 1, 3}, {1, 0, 2, 0, 3, 1}, {3, 1, 2}, 2)},
      {"three axes, depthwise", {1, 3, 4, 5, 4}, {3, 1, 3, 3, 3}, conv_attributes({}, {1, 1, 1}, {}, 3)},
      {"three axes, no images", {0, 2, 3, 4, 5}, {3, 2, 2, 2, 2}, conv_attributes({}, {}, {}, 1)},
      {"1x1, one image", {1, 5, 4, 3}, {7, 5, 1, 1}, conv_attributes({}, {}, {}, 1)},
      {"1x1, images of many pixels", {2, 5, 9, 8}, {3, 5, 1, 1}, conv_attributes({}, {}, {}, 1)},
      {"depthwise, long lines", {2, 3, 6, 71}, {3, 1, 3, 5}, conv_attributes({}, {1, 2}, {}, 3)},
      {"depthwise, strided", {2, 3, 9, 12}, {3, 1, 3, 3}, conv_attributes({2, 2}, {1, 1}, {}, 3)},
      {"depthwise, unequal strides", {1, 4, 9, 12}, {4, 1, 2, 3}, conv_attributes({2, 1}, {0, 1}, {}, 4)},
      {"depthwise, dilated, padding of one side",
       {2, 3, 8, 9},
       {3, 1, 3, 2},
       conv_attributes({}, {2, 0, 0, 3}, {1, 2}, 3)},
      {"depthwise, few columns of many", {1, 2, 3, 40}, {2, 1, 2, 38}, conv_attributes({}, {}, {}, 2)}};
}

ConvProblem random_conv_problem(PhiloxSequence& r) {
  auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
  auto up_to = [&](uint64_t n) { return static_cast<int64_t>(r.below(n + 1)); };
  const int64_t groups = one_to(2), cg = one_to(3), og = one_to(3);
  ConvProblem p{"random", {one_to(3), groups * cg}, {groups * og, cg}, {}};
  IntList stride, before, after, dilation;
  const int64_t rank = one_to(3);
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t k = one_to(3);
    stride.push_back(one_to(3));
    dilation.push_back(one_to(2));
    before.push_back(up_to(2));
    after.push_back(up_to(2));
    p.x.push_back(dilation.back() * (k - 1) + one_to(rank == 3 ? 3 : 6));
    p.filter.push_back(k);
  }
  if (r.below(2)) before.insert(before.end(), after.begin(), after.end());
  p.attributes = conv_attributes(stride, before, dilation, groups);
  return p;
}

ConvShape conv_sizes(const ConvProblem& p) {
  auto list = [&](size_t i) {
    auto& v = std::get<IntList>(p.attributes[i].second);
    return cutset_i64s{v.data(), v.size()};
  };
  return *conv_shape(p.x, p.filter, {list(0), list(1), list(2)}, std::get<int64_t>(p.attributes[3].second));
}

namespace rules::conv {

static Case as_case(const ConvProblem& p, bool bias) {
  Case c{p.name, p.attributes, {{{f32, p.x}}, {{f32, p.filter}}},
         2e-5,   1e-5,         "sums of up to 500 products in f32"};
  if (bias) {
    c.name += " with bias";
    c.operands.push_back({{f32, {p.filter[0]}}});
  }
  return c;
}

OpCases cases() {
  OpCases all;
  for (const ConvProblem& p : conv_problems()) all.fixed.push_back(as_case(p, false));
  for (size_t i : {0, 1, 6, 7, 18, 23, 27, 30, 31, 33})
    all.fixed.push_back(as_case(conv_problems()[i], true));
  all.random = [](PhiloxSequence& r) { return as_case(random_conv_problem(r), r.below(2) == 0); };
  return selecting(sharded(all, "padded", "0 - > 0; - 0 > 1; 1 1 > +"));
}

}  // namespace rules::conv
}  // namespace cutset
