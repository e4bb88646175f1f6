// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/expand/expand_rules.h"
#include "ir/structural/expand/expand_shape.h"

namespace cutset::rules::expand {
Status reference(const ExpandAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const Strides strides, expand_strides(in[0].shape, in[1].shape, a.axes));
  dispatch_bits(out[0].dtype, [&]<class T>(T) {
    for_each_element(out[0].shape, {strides},
                     [&](int64_t i, const int64_t (&at)[1]) { out[0].as<T>()[i] = in[0].as<T>()[at[0]]; });
  });
  return {};
}
}  // namespace cutset::rules::expand
