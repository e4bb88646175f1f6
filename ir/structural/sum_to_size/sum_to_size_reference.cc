// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/sum_to_size/sum_to_shape.h"
#include "ir/structural/sum_to_size/sum_to_size_rules.h"

namespace cutset::rules::sum_to_size {
Status reference(const SumToSizeAttrs&, Views in, Views out) {
  const ReductionShape s = sum_to_shape(in[0].shape, in[1].shape);
  return dispatch_float(in[0].dtype, [&]<class T>(T) { sum_reduced(s, in[0].as<T>(), out[0].as<T>()); });
}
}  // namespace cutset::rules::sum_to_size
