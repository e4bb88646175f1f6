// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/reduction/reduction_rules.h"

namespace cutset::rules {
namespace {

// The options with which the problems of an op are drawn.
struct Kind {
  Fill fill;
  double relative;  // the tolerance; 0: the op chooses an element, so results are exact
  bool flags;       // whether the op takes i1
  const char* why = "exact";
  bool chooses() const { return relative == 0; }
};
const Kind kSum{normal(), 2e-6, false, "sums in f32"},
    kProduct{uniform(-1.4, -0.7), 1e-5, false, "products in f32"}, kExtremum{distinct(), 0, true};

Case reduce(std::string name, TensorType x, std::vector<int64_t> axes, bool keep, const Kind& kind) {
  const bool some = x.elements() > 0;  // the maximum of no elements has no gradient
  if (is_float(x.dtype))
    return {name,
            {{"axes", axes}, {"keepdims", keep}},
            {{x, kind.fill, !kind.chooses() || some}},
            kind.relative,
            kind.relative,
            kind.why};
  const bool flags = x.dtype == i1;
  return {name,
          {{"axes", axes}, {"keepdims", keep}},
          {{x, flags ? integers(0, 2) : integers(is_unsigned(x.dtype) ? 1 : -9, 10), false}},
          0,
          0,
          "exact"};
}

OpCases reductions(const Kind& kind, Case (*random)(PhiloxSequence&)) {
  OpCases all{{}, random};
  auto add = [&](const char* name, TensorType x, std::vector<int64_t> axes, bool keep) {
    all.fixed.push_back(reduce(name, x, axes, keep, kind));
  };
  add("all", {f32, {3, 4, 5}}, {}, false);
  add("bias", {f32, {4, 5, 6, 6}}, {0, 2, 3}, false);
  add("rows", {f32, {6, 7}}, {1}, true);
  add("columns", {f32, {64, 10}}, {0}, false);
  add("last", {f32, {2, 3, 4}}, {-1}, false);
  add("scalar", {f32, {}}, {}, false);
  add("two kept", {f32, {2, 3, 4}}, {0, 2}, true);
  add("of nothing", {f32, {0, 3}}, {0}, false);
  add("to nothing", {f32, {0, 3}}, {1}, true);
  add("all of nothing", {f32, {2, 0, 3}}, {}, false);
  add("one element per line", {f32, {3, 1}}, {1}, false);
  // The sum and the product of a line of i8, u8 or i16 wrap around.
  for (const DType type : {i8, i16, i32, i64, u8, u16, u32, u64}) {
    add(name_of(type), {type, {3, 70}}, {1}, false);
    add("integers of nothing", {type, {2, 0}}, {1}, false);
  }
  add("i64 columns", {i64, {30, 4}}, {0}, false);
  if (kind.flags) {
    add("flags", {i1, {6, 3}}, {1}, false);
    add("all flags", {i1, {70}}, {}, true);
    add("no flags", {i1, {0}}, {}, false);
  }
  return all;
}

Case random_reduce(PhiloxSequence& r, const Kind& kind) {
  Shape x(r.below(4));
  for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(5));
  std::vector<int64_t> axes;
  for (size_t d = 0; d < x.size(); ++d)
    if (r.below(2)) axes.push_back(static_cast<int64_t>(d));
  return reduce("random", {f32, x}, axes, r.below(2), kind);
}
OpCases extrema() {
  return reductions(kExtremum, [](PhiloxSequence& r) { return random_reduce(r, kExtremum); });
}

}  // namespace

namespace reduce_sum {
OpCases cases() {
  return sharded(reductions(kSum, [](PhiloxSequence& r) { return random_reduce(r, kSum); }), "bias",
                 "0 > +; 1 > 0; 2 > +; 3 > +");
}
}  // namespace reduce_sum
namespace reduce_prod {
OpCases cases() {
  OpCases all = reductions(kProduct, [](PhiloxSequence& r) { return random_reduce(r, kProduct); });
  const Kind zeros{integers(-1, 3), 0, false};
  all.fixed.push_back(reduce("with zeros", {f32, {12, 4}}, {1}, false, zeros));
  all.fixed.push_back(reduce("zeros along two axes", {f32, {5, 2, 3}}, {0, 2}, true, zeros));
  return sharded(all, "bias", "1 > 0");
}
}  // namespace reduce_prod
namespace reduce_max {
OpCases cases() { return sharded(extrema(), "bias", "1 > 0"); }
}  // namespace reduce_max
namespace reduce_min {
OpCases cases() { return sharded(extrema(), "bias", "1 > 0"); }
}  // namespace reduce_min

}  // namespace cutset::rules
