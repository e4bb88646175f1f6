// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/fused_matmul/fused_matmul_rules.h"
#include "ir/ops/matmul/matmul_rules.h"

namespace cutset::rules::fused_matmul {

// Adds a bias to a problem of matmul.
static Case with_bias(Case c, bool relu) {
  const Shape& y = c.operands[1].type.shape;
  const bool transposed = std::get<bool>(c.attributes[1].second);
  c.operands.push_back({{f32, {y[y.size() - (transposed ? 2 : 1)]}}});
  c.attributes.emplace_back("relu", relu);
  if (relu) c.name += " and relu";
  return c;
}

// relu must keep NaN and infinity. Not every library does so. Every result has the value of the bias.
static Case special(const char* name, double bias) {
  return {name,
          {{"transpose_x", false}, {"transpose_y", true}, {"relu", true}},
          {{{f32, {6, 3}}}, {{f32, {7, 3}}}, {{f32, {7}}, uniform(bias, bias)}}};
}

OpCases cases() {
  OpCases all;
  for (const Case& c : matmul::cases().fixed)
    for (bool relu : {false, true}) all.fixed.push_back(with_bias(c, relu));
  all.fixed.push_back(special("NaN", NAN));
  all.fixed.push_back(special("infinity", 1e300));  // beyond the range of f32
  all.random = [](PhiloxSequence& r) {
    const Case product = matmul::cases().random(r);
    return with_bias(product, r.below(2) == 1);
  };
  return not_exported(sharded(all, "broadcast stacks", "0 - - > 0; - 0 - > 1; 2 - - > 2; - 1 0 > 3"),
                      "only the compiler makes it");
}

}  // namespace cutset::rules::fused_matmul
