#include "ir/structural/sum_to/sum_to_rules.h"
#include "ir/structural/sum_to/sum_to_shape.h"

namespace cutset::ops::sum_to {
Status reference(const SumToAttrs&, Views in, Views out) {
  const ReductionShape s = sum_to_shape(in[0].shape, in[1].shape);
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    for_each_element(s.kept_shape(), {s.kept_strides}, [&](int64_t to, const int64_t(&base)[1]) {
      double sum = 0;
      for_each_element(s.reduced_shape(), {s.reduced_strides}, [&](int64_t, const int64_t(&at)[1]) { sum += in[0].as<T>()[base[0] + at[0]]; });
      out[0].as<T>()[to] = static_cast<T>(sum);
    });
  });
}
}  // namespace cutset::ops::sum_to
