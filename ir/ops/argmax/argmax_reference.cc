#include "ir/ops/argmax/argmax_rules.h"

namespace cutset::rules::argmax {

Status reference(const ArgmaxAttrs& a, Views in, Views out) {
  const int axis = static_cast<int>(a.axis < 0 ? a.axis + in[0].rank() : a.axis);
  const int64_t n = in[0].dim(axis);
  int64_t inner = 1;
  for (int d = axis + 1; d < in[0].rank(); ++d) inner *= in[0].dim(d);
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    for (int64_t i = 0, count = out[0].elements(); i < count; ++i) {
      const T* line = x + i / inner * n * inner + i % inner;
      int64_t best = 0;
      for (int64_t j = 1; j < n; ++j) {
        const T v = line[j * inner], b = line[best * inner];
        if (v > b || (v != v && b == b)) best = j;
      }
      out[0].as<int64_t>()[i] = best;
    }
  });
}

}  // namespace cutset::rules::argmax
