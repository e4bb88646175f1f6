// SPDX-License-Identifier: Apache-2.0
#include "ir/core/tensor_view.h"
#include "ir/ops/clip/clip_rules.h"

namespace cutset::rules::clip {

Status reference(const ClipAttrs& a, Views in, Views out) {
  const ClipOperands at = clip_operands(a, in.size());
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    const T* low = at.minimum ? in[at.minimum.first].as<T>() : nullptr;
    const T* high = at.maximum ? in[at.maximum.first].as<T>() : nullptr;
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) {
      T v = x[i];
      if (low) v = v < *low || *low != *low ? *low : v;
      if (high) v = v > *high || *high != *high ? *high : v;
      y[i] = v;
    }
  });
}

}  // namespace cutset::rules::clip
