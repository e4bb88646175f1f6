#include "ir/ops/pooling/pooling_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::ops {
namespace {

Case pool(std::string name, Shape x, int64_t kernel, int64_t stride, int64_t padding) {
  return {name,
          {{"kernel", std::vector<int64_t>{kernel, kernel}},
           {"stride", std::vector<int64_t>{stride, stride}},
           {"padding", std::vector<int64_t>{padding, padding}}},
          {{{f32, x}, distinct()}},
          0,
          0,
          "exact"};
}
Case backward(Case c) {
  auto size = [&](size_t i) { return std::get<std::vector<int64_t>>(c.attributes[i].second)[0]; };
  Shape y = c.operands[0].type.shape;
  for (size_t d : {2, 3}) y[d] = (y[d] + 2 * size(2) - size(0)) / size(1) + 1;
  c.operands.insert(c.operands.begin(), Operand{{f32, y}});
  c.relative = 1e-6, c.why = "the order of a few additions where windows overlap";
  return c;
}
OpCases pools() {
  OpCases all{{pool("lenet", {4, 20, 24, 24}, 2, 2, 0), pool("overlapping", {2, 3, 13, 13}, 3, 2, 0),
               pool("padded", {1, 2, 7, 9}, 3, 2, 1), pool("rest dropped", {2, 1, 5, 5}, 2, 2, 0),
               pool("whole image", {2, 3, 4, 4}, 4, 4, 0)},
              [](PhiloxSequence& r) {
                auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
                int64_t k = one_to(3);
                return pool("random", {one_to(3), one_to(4), k + one_to(6), k + one_to(6)}, k, one_to(3),
                            k > 1 ? static_cast<int64_t>(r.below(2)) : 0);
              }};
  return all;
}

}  // namespace

namespace max_pool2d {
OpCases cases() { return pools(); }
}  // namespace max_pool2d

namespace max_pool2d_backward {
OpCases cases() {
  OpCases all = pools();
  for (Case& c : all.fixed) c = backward(c);
  all.random = [](PhiloxSequence& r) { return backward(pools().random(r)); };
  return all;
}
}  // namespace max_pool2d_backward

}  // namespace cutset::ops
