#include "ir/ops/reduction/reduction_rules.h"

namespace cutset::rules {
namespace {

Case reduce(std::string name, Shape x, std::vector<int64_t> axes, bool keep, Fill fill, double relative) {
  const bool sum = relative > 0,
             some = TensorType{f32, x}.elements() > 0;  // the maximum of no elements has no gradient
  return {name,     {{"axes", axes}, {"keepdims", keep}}, {{{f32, x}, fill, sum || some}}, relative,
          relative, sum ? "sums in f32" : "exact"};
}

OpCases reductions(Fill fill, double relative, Case (*random)(PhiloxSequence&)) {
  auto of = [&](const char* name, Shape x, std::vector<int64_t> axes, bool keep) {
    return reduce(name, x, axes, keep, fill, relative);
  };
  return {{of("all", {3, 4, 5}, {}, false), of("bias", {4, 5, 6, 6}, {0, 2, 3}, false), of("rows", {6, 7}, {1}, true),
           of("columns", {64, 10}, {0}, false), of("last", {2, 3, 4}, {-1}, false), of("scalar", {}, {}, false),
           of("two kept", {2, 3, 4}, {0, 2}, true), of("of nothing", {0, 3}, {0}, false),
           of("to nothing", {0, 3}, {1}, true), of("all of nothing", {2, 0, 3}, {}, false)},
          random};
}

Case random_reduce(PhiloxSequence& r, Fill fill, double relative) {
  Shape x(r.below(4));
  for (int64_t& d : x) d = 1 + static_cast<int64_t>(r.below(5));
  std::vector<int64_t> axes;
  for (size_t d = 0; d < x.size(); ++d)
    if (r.below(2)) axes.push_back(static_cast<int64_t>(d));
  return reduce("random", x, axes, r.below(2), fill, relative);
}

}  // namespace

namespace reduce_sum {
OpCases cases() {
  return reductions(normal(), 2e-6, [](PhiloxSequence& r) { return random_reduce(r, normal(), 2e-6); });
}
}  // namespace reduce_sum
namespace reduce_max {
OpCases cases() {
  return reductions(distinct(), 0, [](PhiloxSequence& r) { return random_reduce(r, distinct(), 0); });
}
}  // namespace reduce_max

}  // namespace cutset::rules
