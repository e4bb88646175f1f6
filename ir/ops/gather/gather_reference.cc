// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/ops/gather/gather_rules.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset::rules {
namespace {

int64_t index_at(const TensorView& indices, int64_t i) {
  return indices.dtype == DType::i64 ? indices.as<int64_t>()[i] : indices.as<int32_t>()[i];
}

}  // namespace

namespace gather {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const GatherShape s,
                gather_shape(in[0].shape, in[1].shape, a.axis, a.first_row, a.table_rows));
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    T* to = out[0].as<T>();
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.indices; ++i, to += s.inner) {
        const int64_t row = gathered_row(index_at(in[1], i), s);
        if (row < 0) {
          std::fill_n(to, s.inner, row == kOutOfRange ? out_of_range<T>() : T{0});
          continue;
        }
        const T* from = in[0].as<T>() + (o * s.length + row) * s.inner;
        for (int64_t k = 0; k < s.inner; ++k)
          to[k] = from[k];  // for one element, the call of std::copy_n is slow
      }
  });
}
}  // namespace gather

namespace gather_backward {
Status reference(const Attrs& a, Views in, Views out) {
  CUTSET_ASSIGN(const GatherShape s,
                gather_shape(in[2].shape, in[1].shape, a.axis, a.first_row, a.table_rows));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    std::fill_n(out[0].as<T>(), out[0].elements(), T{0});
    const T* from = in[0].as<T>();
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.indices; ++i, from += s.inner) {
        const int64_t row = gathered_row(index_at(in[1], i), s);
        if (row < 0) continue;
        T* to = out[0].as<T>() + (o * s.length + row) * s.inner;
        for (int64_t k = 0; k < s.inner; ++k) to[k] += from[k];
      }
  });
}
}  // namespace gather_backward

}  // namespace cutset::rules
