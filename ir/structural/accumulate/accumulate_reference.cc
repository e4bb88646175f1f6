// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "ir/structural/accumulate/accumulate_rules.h"

namespace cutset::rules::accumulate {

Status reference(const AccumulateAttrs&, Views in, Views out) {
  // Integers are added as unsigned numbers, which wrap around.
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
    const T *sum = in[0].as<T>(), *value = in[1].as<T>();
    T* new_sum = out[0].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i)
      new_sum[i] = static_cast<T>(static_cast<Sum>(sum[i]) + static_cast<Sum>(value[i]));
  });
}

}  // namespace cutset::rules::accumulate
