// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/scale/scale_rules.h"

namespace cutset::rules::scale {
Status reference(const ScaleAttrs& a, Views in, Views out) {
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    const T factor = static_cast<T>(a.factor);
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) out[0].as<T>()[i] = in[0].as<T>()[i] * factor;
  });
}
}  // namespace cutset::rules::scale
