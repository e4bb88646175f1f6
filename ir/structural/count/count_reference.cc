// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/reduction/reduction_shape.h"
#include "ir/structural/count/count_rules.h"

namespace cutset::rules::count {
Status reference(const CountAttrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const ReductionShape s, reduction_shape(in[0].shape, a.axes));
  return dispatch_float(out[0].dtype,
                        [&]<class T>(T) { *out[0].as<T>() = static_cast<T>(s.reduced_elements); });
}
}  // namespace cutset::rules::count
