// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/moving_average/moving_average_rules.h"

namespace cutset::rules::moving_average {

Status reference(const MovingAverageAttrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *average = in[0].as<T>(), *value = in[1].as<T>(), decay = *in[2].as<T>();
    T* y = out[0].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) y[i] = decay * average[i] + (1 - decay) * value[i];
  });
}

}  // namespace cutset::rules::moving_average
