// SPDX-License-Identifier: Apache-2.0
#include "ir/core/rows.h"
#include "ir/ops/argmax/argmax_rules.h"

namespace cutset::rules {
namespace {

template <bool kLargest>
Status index_of(const ArgmaxAttrs& a, Views in, Views out) {
  const int64_t axis = axis_from_front(a.axis, in[0].shape.size()),
                inner = blocks_of(in[0].shape, axis).inner;
  const int64_t n = in[0].dim(static_cast<int>(axis));
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    const T* x = in[0].as<T>();
    for (int64_t i = 0, count = out[0].elements(); i < count; ++i) {
      const T* line = x + i / inner * n * inner + i % inner;
      int64_t best = 0;
      for (int64_t j = 1; j < n; ++j) {
        const T v = line[j * inner], b = line[best * inner];
        const bool v_is_nan = v != v, b_is_nan = b != b;
        const bool better = (kLargest ? v > b : v < b) || (v_is_nan && !b_is_nan);
        const bool equal = v == b || (v_is_nan && b_is_nan);
        if (better || (equal && a.select_last_index)) best = j;
      }
      out[0].as<int64_t>()[i] = best;
    }
  });
}

}  // namespace

Status argmax::reference(const Attrs& a, Views in, Views out) { return index_of<true>(a, in, out); }
Status argmin::reference(const Attrs& a, Views in, Views out) { return index_of<false>(a, in, out); }

}  // namespace cutset::rules
