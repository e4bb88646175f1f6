#include "ir/structural/accumulate/accumulate_rules.h"

namespace cutset::rules::accumulate {

Status reference(const AccumulateAttrs&, Views in, Views out) {
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    const T *sum = in[0].as<T>(), *value = in[1].as<T>();
    T* new_sum = out[0].as<T>();
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) new_sum[i] = sum[i] + value[i];
  });
}

}  // namespace cutset::rules::accumulate
