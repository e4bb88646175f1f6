#include "ir/ops/pooling/pooling_rules.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::rules {
namespace {

using Pair = std::vector<int64_t>;  // rows, columns

Case pool(std::string name, Shape x, Pair kernel, Pair stride, Pair padding, Fill fill = distinct()) {
  // The maximum has no derivative at a tie.
  const bool smooth = fill.kind == Fill::Kind::kDistinct;
  return {name,   {{"kernel", kernel}, {"stride", stride}, {"padding", padding}}, {{{f32, x}, fill, smooth}}, 0, 0,
          "exact"};
}
Case backward(Case c) {
  auto pair = [&](size_t i) {
    const auto& v = std::get<IntList>(c.attributes[i].second);
    return cutset_i64s{v.data(), v.size()};
  };
  Shape& x = c.operands[0].type.shape;
  const PoolShape s = *pool_shape(x, pair(0), pair(1), pair(2));
  c.operands.insert(c.operands.begin(), Operand{{f32, {x[0], x[1], s.oh, s.ow}}});
  c.relative = 1e-6, c.why = "the order of a few additions where windows overlap";
  return c;
}
OpCases pools() {
  OpCases all{
      {pool("lenet", {4, 20, 24, 24}, {2, 2}, {2, 2}, {0, 0}),
       pool("overlapping", {2, 3, 13, 13}, {3, 3}, {2, 2}, {0, 0}),
       pool("padded", {1, 2, 7, 9}, {3, 3}, {2, 2}, {1, 1}), pool("rest dropped", {2, 1, 5, 5}, {2, 2}, {2, 2}, {0, 0}),
       pool("whole image", {2, 3, 4, 4}, {4, 4}, {4, 4}, {0, 0}),
       pool("unequal windows", {2, 3, 7, 9}, {2, 3}, {1, 2}, {0, 0}),
       pool("unequal strides", {2, 2, 9, 8}, {2, 2}, {3, 1}, {0, 0}),
       pool("unequal padding", {1, 2, 6, 7}, {2, 5}, {2, 3}, {1, 2}),
       pool("padding of columns alone", {2, 2, 5, 6}, {3, 2}, {1, 2}, {0, 1}),
       pool("ties", {2, 3, 8, 9}, {3, 2}, {2, 1}, {0, 0}, integers(0, 2)),
       pool("ties at padding", {1, 3, 5, 5}, {3, 3}, {2, 2}, {1, 1}, integers(-1, 1)),
       pool("no images", {0, 3, 5, 6}, {2, 2}, {2, 2}, {0, 0}),
       pool("no channels", {2, 0, 5, 6}, {2, 3}, {2, 2}, {1, 1})},
      [](PhiloxSequence& r) {
        auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
        auto up_to = [&](int64_t n) { return static_cast<int64_t>(r.below(static_cast<uint64_t>(n) + 1)); };
        const int64_t kh = one_to(4), kw = one_to(4);
        return pool("random", {one_to(3), one_to(4), kh + up_to(5), kw + up_to(5)}, {kh, kw}, {one_to(3), one_to(3)},
                    {up_to(kh / 2), up_to(kw / 2)}, r.below(2) ? distinct() : integers(0, 3));
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

}  // namespace cutset::rules
