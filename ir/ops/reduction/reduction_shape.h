// Which dimensions a reduction keeps, in arrays that need no allocation.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/tensor_view.h"

namespace cutset {

struct ReductionShape {
  int kept_rank = 0, reduced_rank = 0;
  int64_t kept[kMaxRank] = {}, reduced[kMaxRank] = {};  // sizes
  Strides kept_strides, reduced_strides;                // element strides in x
  bool reduces[kMaxRank] = {};
  int64_t kept_elements = 1, reduced_elements = 1;

  std::span<const int64_t> kept_shape() const { return {kept, static_cast<size_t>(kept_rank)}; }
  std::span<const int64_t> reduced_shape() const { return {reduced, static_cast<size_t>(reduced_rank)}; }
};
// No axes means all of them.
Result<ReductionShape> reduction_shape(std::span<const int64_t> x, cutset_i64s axes);
// The dimensions that `reduces` marks, for any marks.
ReductionShape split_dimensions(std::span<const int64_t> x, const bool (&reduces)[kMaxRank]);

// Sums each result in f64, a line of the innermost reduced dimensions at a time where they are contiguous.
template <class T>
void sum_reduced(const ReductionShape& s, const T* x, T* y) {
  int64_t line = 1;
  int outer = s.reduced_rank;
  while (outer > 0 && s.reduced_strides.at[outer - 1] == line) line *= s.reduced[--outer];
  const std::span<const int64_t> lines{s.reduced, static_cast<size_t>(outer)};
  for_each_element(s.kept_shape(), {s.kept_strides}, [&](int64_t to, const int64_t (&base)[1]) {
    double sum = 0;
    for_each_element(lines, {s.reduced_strides}, [&](int64_t, const int64_t (&at)[1]) {
      const T* from = x + base[0] + at[0];
      double part = 0;
#pragma omp simd reduction(+ : part)
      for (int64_t i = 0; i < line; ++i) part += from[i];
      sum += part;
    });
    y[to] = static_cast<T>(sum);
  });
}

// f(result index, offset of x) over all kept and reduced elements, results in order.
template <class F>
void for_each_reduced(const ReductionShape& s, F&& f) {
  for_each_element(s.kept_shape(), {s.kept_strides}, [&](int64_t to, const int64_t (&base)[1]) {
    for_each_element(s.reduced_shape(), {s.reduced_strides},
                     [&](int64_t, const int64_t (&at)[1]) { f(to, base[0] + at[0]); });
  });
}

}  // namespace cutset
