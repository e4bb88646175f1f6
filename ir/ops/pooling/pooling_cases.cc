// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/pooling/pooling_problems.h"
#include "ir/ops/pooling/pooling_rules.h"

namespace cutset {

Attributes PoolProblem::attributes() const {
  return {{"kernel", kernel},
          {"stride", stride},
          {"padding", padding},
          {"dilation", dilation},
          {"ceil_mode", ceil_mode}};
}
PoolShape PoolProblem::sizes() const {
  const auto list = [](const IntList& v) { return cutset_i64s{v.data(), v.size()}; };
  return *pool_shape(x, list(kernel), {list(stride), list(padding), list(dilation)}, ceil_mode);
}

bool PoolProblem::has_empty_window() const {
  for (const WindowAxis& axis : sizes().axes)
    for (int64_t i = 0; i < axis.out; ++i)
      if (const Range taps = taps_inside(axis, i); taps.first == taps.last) return true;
  return false;
}

std::vector<PoolProblem> pool_problems() {
  return {
      {"lenet", {4, 20, 24, 24}, {2, 2}, {2, 2}, {0, 0}},
      {"overlapping", {2, 3, 13, 13}, {3, 3}, {2, 2}},
      {"padded", {1, 2, 7, 9}, {3, 3}, {2, 2}, {1, 1}},
      {"wide", {1, 2, 5, 150}, {3, 3}, {2, 2}, {1, 1}},
      {"rest dropped", {2, 1, 5, 5}, {2, 2}},
      {"whole image", {2, 3, 4, 4}, {4, 4}},
      {"one pixel", {2, 3, 1, 1}, {1, 1}},
      {"unequal windows", {2, 3, 7, 9}, {2, 3}, {1, 2}},
      {"unequal strides", {2, 2, 9, 8}, {2, 2}, {3, 1}},
      {"unequal padding", {1, 2, 6, 7}, {2, 5}, {2, 3}, {1, 2}},
      {"padding of columns alone", {2, 2, 5, 6}, {3, 2}, {1, 2}, {0, 1}},
      {"padding of one side", {1, 2, 6, 7}, {3, 4}, {2, 3}, {0, 3, 2, 0}},
      {"dilated", {2, 2, 9, 8}, {2, 3}, {1, 2}, {}, {3, 2}},
      {"dilated and padded", {1, 3, 6, 5}, {3, 2}, {2, 1}, {2, 1, 1, 2}, {2, 3}},
      {"a window without elements", {2, 2, 1, 3}, {2, 2}, {1, 1}, {1, 0}, {2, 1}},
      {"rest kept", {2, 1, 5, 6}, {2, 4}, {2, 3}, {}, {}, true},
      {"rest kept in the padding", {1, 2, 6, 5}, {3, 2}, {2, 4}, {1, 0, 1, 1}, {}, true},
      {"no window behind the image", {1, 2, 4, 3}, {2, 1}, {3, 2}, {1, 0}, {}, true},
      {"no images", {0, 3, 5, 6}, {2, 2}},
      {"no channels", {2, 0, 5, 6}, {2, 3}, {2, 2}, {1, 1}},
      {"one axis", {2, 3, 16}, {2}},
      {"one axis, all options", {2, 3, 13}, {3}, {2}, {1, 2}, {2}, true},
      {"one axis of one element", {3, 2, 1}, {2}, {1}, {1, 0}},
      {"three axes", {2, 2, 4, 6, 4}, {2, 2, 2}},
      {"three axes, all options", {1, 3, 5, 6, 7}, {2, 3, 2}, {2, 1, 3}, {1, 0, 2, 0, 2, 1}, {1, 2, 3}, true},
      {"three axes, no images", {0, 2, 3, 3, 3}, {2, 2, 2}}};
}

PoolProblem random_pool_problem(PhiloxSequence& r) {
  auto one_to = [&](uint64_t n) { return 1 + static_cast<int64_t>(r.below(n)); };
  auto up_to = [&](int64_t n) { return static_cast<int64_t>(r.below(static_cast<uint64_t>(n) + 1)); };
  PoolProblem p{"random", {one_to(3), one_to(3)}, {}};
  IntList after;
  const int64_t rank = one_to(3);
  for (int64_t i = 0; i < rank; ++i) {
    p.kernel.push_back(one_to(rank == 3 ? 2 : 4));
    p.stride.push_back(one_to(3));
    p.dilation.push_back(one_to(2));
    const int64_t extent = p.dilation.back() * (p.kernel.back() - 1) + 1;
    p.padding.push_back(up_to(extent - 1));
    after.push_back(up_to(extent - 1));
    p.x.push_back(extent + up_to(4));
  }
  if (r.below(2)) p.padding.insert(p.padding.end(), after.begin(), after.end());
  p.ceil_mode = r.below(2) == 0;
  return p;
}

namespace rules {
namespace {

Case pool(const PoolProblem& p, Fill fill = distinct(), DType dtype = f32) {
  // The maximum has no derivative at a tie, and finite differences are not defined at infinity.
  const bool smooth = fill.kind == Fill::Kind::kDistinct && !p.has_empty_window();
  return {p.name, p.attributes(), {{{dtype, p.x}, fill, smooth}}, 0, 0, "exact"};
}
Case backward(const PoolProblem& p, Fill fill = distinct()) {
  Case c = pool(p, fill);
  c.operands.insert(c.operands.begin(), Operand{{f32, p.sizes().result()}});
  c.relative = 1e-6;
  c.why = "the order of a few additions where windows overlap";
  return c;
}
// Returns problems in which several elements of a window are equal.
std::vector<std::pair<PoolProblem, Fill>> ties() {
  return {{{"ties", {2, 3, 8, 9}, {3, 2}, {2, 1}}, integers(0, 2)},
          {{"ties at padding", {1, 3, 5, 5}, {3, 3}, {2, 2}, {1, 1}}, integers(-1, 1)},
          {{"ties of three axes", {2, 2, 4, 5, 3}, {2, 3, 2}, {1, 1, 1}, {1, 0, 1}}, integers(0, 2)}};
}
// Returns the cases of max_pool and max_pool_indices.
OpCases maxima() {
  OpCases all;
  for (const PoolProblem& p : pool_problems()) all.fixed.push_back(pool(p));
  for (const auto& [p, fill] : ties()) all.fixed.push_back(pool(p, fill));
  PoolProblem p{"", {2, 3, 6, 7}, {2, 3}, {1, 2}, {1, 1}, {1, 2}, true};
  const std::pair<const char*, DType> types[] = {
      {"i8", DType::i8},   {"u8", DType::u8},   {"i16", DType::i16}, {"u16", DType::u16},
      {"i32", DType::i32}, {"i64", DType::i64}, {"u32", DType::u32}, {"u64", DType::u64}};
  for (const auto& [name, dtype] : types) {
    p.name = name;
    all.fixed.push_back(pool(p, integers(name[0] == 'i' ? -100 : 0, 100), dtype));
  }
  PoolProblem empty{"i8, a window without elements", {1, 2, 1, 3}, {2, 2}, {1, 1}, {1, 0}, {2, 1}};
  all.fixed.push_back(pool(empty, integers(-100, 100), DType::i8));
  all.random = [](PhiloxSequence& r) {
    const PoolProblem random = random_pool_problem(r);
    return pool(random, r.below(2) ? distinct() : integers(0, 3));
  };
  return all;
}

}  // namespace

namespace max_pool {
OpCases cases() { return selecting(sharded(maxima(), "lenet", "0 > 0; 1 > 1; window 2 > 2; window 3 > 3")); }
}  // namespace max_pool

namespace max_pool_indices {
OpCases cases() { return sharded(maxima(), "lenet", "0 > 0; 1 > 1; window 2 > 2; window 3 > 3"); }
}  // namespace max_pool_indices

namespace max_pool_backward {
OpCases cases() {
  OpCases all;
  for (const PoolProblem& p : pool_problems()) all.fixed.push_back(backward(p));
  for (const auto& [p, fill] : ties()) all.fixed.push_back(backward(p, fill));
  all.random = [](PhiloxSequence& r) {
    const PoolProblem random = random_pool_problem(r);
    return backward(random, r.below(2) ? distinct() : integers(0, 3));
  };
  return selecting(sharded(all, "lenet", "0 0 > 0; 1 1 > 1; window 2 2 > 2; window 3 3 > 3"));
}
}  // namespace max_pool_backward

}  // namespace rules
}  // namespace cutset
