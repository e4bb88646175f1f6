#include "ir/structural/sum_to/sum_to_rules.h"
#include "ir/structural/sum_to/sum_to_shape.h"

namespace cutset::ops::sum_to {
Status reference(const SumToAttrs&, Views in, Views out) {
  const ReductionShape s = sum_to_shape(in[0].shape, in[1].shape);
  return dispatch_float(in[0].dtype, [&]<class T>(T) { sum_reduced(s, in[0].as<T>(), out[0].as<T>()); });
}
}  // namespace cutset::ops::sum_to
