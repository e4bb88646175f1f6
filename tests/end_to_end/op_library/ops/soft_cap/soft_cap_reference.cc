// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ir/core/tensor_view.h"
#include "ops/soft_cap/soft_cap_rules.h"

namespace cutset::rules::soft_cap {

Status reference(const Attrs& a, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    T* y = out[0].as<T>();
    const T limit = static_cast<T>(a.limit);
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) y[i] = limit * std::tanh(x[i] / limit);
  });
}

}  // namespace cutset::rules::soft_cap
