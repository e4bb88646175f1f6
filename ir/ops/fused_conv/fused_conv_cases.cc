// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/ops/conv/conv_rules.h"
#include "ir/ops/fused_conv/fused_conv_rules.h"

namespace cutset::rules::fused_conv {

// relu must keep NaN and infinity. Not every library does so. Every result has the value of the bias.
static Case special(const char* name, double bias) {
  return {name,
          {{"stride", IntList{1, 1}},
           {"padding", IntList{0, 0}},
           {"dilation", IntList{1, 1}},
           {"groups", int64_t{1}}},
          {{{f32, {2, 1, 5, 4}}}, {{f32, {3, 1, 2, 1}}}, {{f32, {3}}, uniform(bias, bias)}}};
}

// A problem has the operands and attributes of a problem of conv.
OpCases cases() {
  OpCases all = conv::cases();
  all.fixed.push_back(special("NaN", NAN));
  all.fixed.push_back(special("infinity", 1e300));  // beyond the range of f32
  return not_exported(selecting(sharded(all, "padded", "0 - > 0; - 0 > 1")), "only the compiler makes it");
}

}  // namespace cutset::rules::fused_conv
