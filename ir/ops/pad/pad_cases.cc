// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/pad/pad_rules.h"

namespace cutset::rules {
namespace {

Case of(std::string name, TensorType x, int64_t axis, int64_t before, int64_t after,
        const char* mode = "constant") {
  const bool real = is_float(x.dtype);
  return {name,
          {{"axis", axis}, {"before", before}, {"after", after}, {"mode", std::string(mode)}},
          {{x, real ? normal() : integers(1, 2), real}},
          0,
          0,
          "exact"};
}

// Returns the same problem for pad_backward, whose operand has the type of the result of pad.
Case backward(Case c) {
  int64_t more = 0;
  for (const auto& [name, value] : c.attributes)
    if (name == "before" || name == "after") more += std::get<int64_t>(value);
  Shape& shape = c.operands[0].type.shape;
  const int64_t axis = std::get<int64_t>(c.attributes[0].second);
  shape[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis)] += more;
  c.relative = 1e-6;
  c.absolute = 1e-6;
  c.why = "sums in f32";
  return c;
}

// Draws a problem whose mode has at least the index `first`.
Case random(PhiloxSequence& r, size_t first) {
  const char* const modes[] = {"constant", "edge", "reflect"};
  const Shape shape = {4, 4 + int64_t(r.below(3)), 4 + int64_t(r.below(3))};
  const int64_t axis = int64_t(r.below(6)) - 3, before = int64_t(r.below(4)), after = int64_t(r.below(4));
  return of("random", {f32, shape}, axis, before, after, modes[first + r.below(3 - first)]);
}

}  // namespace

OpCases pad::cases() {
  return sharded(
      {{of("rows", {f32, {4, 3}}, 0, 2, 1), of("inner", {f32, {2, 3, 4}}, 1, 1, 3),
        of("last", {f32, {2, 3}}, -1, 0, 2), of("nothing", {f32, {5}}, 0, 0, 0),
        of("flags", {i1, {3}}, 0, 1, 2), of("wide", {i64, {2, 2}}, 1, 3, 0),
        of("u16", {u16, {2, 2}}, 1, 3, 0), of("empty", {f32, {2, 0}}, 1, 2, 1),
        of("still empty", {f32, {0, 3}}, 1, 1, 1), of("edge", {f32, {2, 3, 4}}, 1, 2, 5, "edge"),
        of("edge of one", {f32, {1, 4}}, 0, 3, 2, "edge"), of("edge of flags", {i1, {3}}, 0, 1, 2, "edge"),
        of("reflect", {f32, {2, 4, 3}}, 1, 3, 2, "reflect"),
        of("reflect last", {f32, {3, 5}}, -1, 0, 4, "reflect"),
        of("nothing is reflected", {f32, {0, 2}}, 0, 0, 0, "reflect")},
       [](PhiloxSequence& r) { return random(r, 0); }},
      "inner", "0 > 0; 2 > 2");
}

OpCases pad_backward::cases() {
  return sharded({{backward(of("edge", {f32, {2, 3, 4}}, 1, 2, 5, "edge")),
                   backward(of("edge of one", {f32, {1, 4}}, 0, 3, 2, "edge")),
                   backward(of("reflect", {f32, {2, 4, 3}}, 1, 3, 2, "reflect")),
                   backward(of("reflect last", {f32, {3, 5}}, -1, 0, 4, "reflect")),
                   backward(of("still empty", {f32, {0, 3}}, 1, 1, 1, "edge")),
                   backward(of("nothing", {f32, {5}}, 0, 0, 0, "edge"))},
                  [](PhiloxSequence& r) { return backward(random(r, 1)); }},
                 "edge", "0 > 0; 2 > 2");
}

}  // namespace cutset::rules
