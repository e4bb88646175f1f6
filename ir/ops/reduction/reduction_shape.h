// SPDX-License-Identifier: Apache-2.0
// The kept and reduced dimensions of a reduction, and loops over them. Reference kernels of several ops and
// OpenCL share them. No function allocates memory.
#pragma once
#include <span>
#include <type_traits>

#include "ir/core/abi_types.h"
#include "ir/core/tensor_view.h"

namespace cutset {

struct ReductionShape {
  int kept_rank = 0, reduced_rank = 0;
  int64_t kept[kMaxRank] = {}, reduced[kMaxRank] = {};  // the sizes of the dimensions, in their order
  Strides kept_strides, reduced_strides;                // the strides of the dimensions in x, in elements
  bool reduces[kMaxRank] = {};                          // whether dimension d of x is reduced
  int64_t kept_elements = 1, reduced_elements = 1;      // the products of the sizes

  std::span<const int64_t> kept_shape() const { return {kept, static_cast<size_t>(kept_rank)}; }
  std::span<const int64_t> reduced_shape() const { return {reduced, static_cast<size_t>(reduced_rank)}; }
};
// Returns the reduction of a tensor of shape `x` along `axes`. A negative axis counts from the end. An empty
// list means all dimensions. Fails if an axis is not a dimension or is named twice (C2).
Result<ReductionShape> reduction_shape(std::span<const int64_t> x, cutset_i64s axes);
// Returns the reduction of a tensor of shape `x` along the dimensions that `reduces` marks.
ReductionShape split_dimensions(std::span<const int64_t> x, const bool (&reduces)[kMaxRank]);

// The last reduced dimensions, whose elements are contiguous. They are the reduced dimensions after the first
// `outer`, and have `elements` elements.
struct ReducedLine {
  int64_t elements = 1;
  int outer = 0;
};
inline ReducedLine reduced_line(const ReductionShape& s) {
  ReducedLine line{1, s.reduced_rank};
  while (line.outer > 0 && s.reduced_strides.at[line.outer - 1] == line.elements)
    line.elements *= s.reduced[--line.outer];
  return line;
}
// Whether neighbouring results are sums of neighbouring elements. sum_columns needs this.
inline bool reduces_columns(const ReductionShape& s) {
  return reduced_line(s).elements == 1 && s.kept_rank > 0 && s.kept_strides.at[s.kept_rank - 1] == 1;
}

// The type in which the elements of type T are added or multiplied. Unsigned integers wrap around.
template <class T>
using Total = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

// Sums the columns [begin, end) of a row of results, at most kMost columns. x and y point to the row.
// `add(sums, from, n)` adds n elements to the sums.
template <int64_t kMost, class T, class Add>
void sum_column_range(const ReductionShape& s, const T* x, int64_t begin, int64_t end, T* y, Add&& add) {
  Total<T> sums[kMost];
  for (int64_t i = 0; i < end - begin; ++i) sums[i] = 0;
  for_each_element(s.reduced_shape(), {s.reduced_strides},
                   [&](int64_t, const int64_t (&at)[1]) { add(sums, x + at[0] + begin, end - begin); });
  for (int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(sums[i - begin]);
}

// Computes the same sums as sum_reduced if reduces_columns(s). An example is the gradient of a
// bias: each result is the sum of a column of a matrix. Each result is the sum of its elements in the order
// of x, but a block of neighbouring results is summed at once, so that the compiler can vectorise the loop.
template <class T>
void sum_columns(const ReductionShape& s, const T* x, T* y) {
  constexpr int64_t kBlock = 128;
  const int last = s.kept_rank - 1;
  const int64_t width = s.kept[last];
  const std::span<const int64_t> rows{s.kept, static_cast<size_t>(last)};
  for_each_element(rows, {s.kept_strides}, [&](int64_t row, const int64_t (&base)[1]) {
    for (int64_t first = 0; first < width; first += kBlock)
      sum_column_range<kBlock>(s, x + base[0], first, first + kBlock < width ? first + kBlock : width,
                               y + row * width, [](Total<T>* sums, const T* from, int64_t n) {
                                 for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<Total<T>>(from[i]);
                               });
  });
}

// Sums the reduced elements of x into each element of y, floating-point numbers in f64. The elements are
// added in the order of x, except that each line of contiguous elements is summed separately first, in an
// order that the compiler chooses.
template <class T>
void sum_reduced(const ReductionShape& s, const T* x, T* y) {
  if (reduces_columns(s)) return sum_columns(s, x, y);
  const ReducedLine line = reduced_line(s);
  const int64_t elements = line.elements;
  const std::span<const int64_t> lines{s.reduced, static_cast<size_t>(line.outer)};
  for_each_element(s.kept_shape(), {s.kept_strides}, [&](int64_t to, const int64_t (&base)[1]) {
    Total<T> sum = 0;
    for_each_element(lines, {s.reduced_strides}, [&](int64_t, const int64_t (&at)[1]) {
      const T* from = x + base[0] + at[0];
      Total<T> part = 0;
#pragma omp simd reduction(+ : part)
      for (int64_t i = 0; i < elements; ++i) part += static_cast<Total<T>>(from[i]);
      sum += part;
    });
    y[to] = static_cast<T>(sum);
  });
}

// Calls f(index of the result, offset in x) for each element of x, all elements of result 0 first.
template <class F>
void for_each_reduced(const ReductionShape& s, F&& f) {
  for_each_element(s.kept_shape(), {s.kept_strides}, [&](int64_t to, const int64_t (&base)[1]) {
    for_each_element(s.reduced_shape(), {s.reduced_strides},
                     [&](int64_t, const int64_t (&at)[1]) { f(to, base[0] + at[0]); });
  });
}

}  // namespace cutset
