// SPDX-License-Identifier: Apache-2.0
// Adds columns and lines with vector instructions. The gradient of a bias is a sum of columns. The sum of a
// channel is a sum of lines. One thread computes each result, so the bits are the same for any number of
// threads.
#include <algorithm>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"
#include "ir/ops/reduction/reduction_attrs.h"
#include "ir/ops/reduction/reduction_shape.h"
#include "ir/structural/sum_to_size/sum_to_shape.h"

namespace cutset::onednn {
namespace {

constexpr int64_t kLeastElements = 8192;  // per thread

CUTSET_FOR_EACH_PROCESSOR
void add_to(double* sums, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[i] += double{x[i]};
}
constexpr int64_t kLanes = 16;

// Adds element i of the line to lane i % kLanes. The lanes of all lines of a result are added once, at the
// end, because lines may be short.
CUTSET_FOR_EACH_PROCESSOR
void add_line(double* lanes, const float* x, int64_t n) {
  double sums[kLanes];
  for (int64_t k = 0; k < kLanes; ++k) sums[k] = lanes[k];
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t k = 0; k < kLanes; ++k) sums[k] += double{x[i + k]};
  for (int64_t k = 0; k < kLanes; ++k) lanes[k] = sums[k];
  for (int64_t k = 0; i + k < n; ++k) lanes[k] += double{x[i + k]};
}

ReductionShape shape_of(const abi::Problem& p) {
  return p.inputs() > 1 ? sum_to_shape(p.in_shape(0), p.in_shape(1))
                        : *reduction_shape(p.in_shape(0), p.attributes<ReductionAttrs>().axes);
}
// Returns the offset in x of result `index`, which counts along the first `rank` kept dimensions.
int64_t start_of(const ReductionShape& s, int rank, int64_t index) {
  int64_t at = 0;
  for (int d = rank; d-- > 0; index /= s.kept[d]) at += index % s.kept[d] * s.kept_strides.at[d];
  return at;
}

// Each thread owns a range of the columns. It adds the elements of a column in the order of the reference
// kernel, so the results are bitwise equal.
class ColumnSums : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (const std::string why = p.only_f32(); !why.empty()) return why;
    return reduces_columns(shape_of(p)) ? "" : "the kernel supports only sums of columns";
  }
  ColumnSums(cutset_device, const abi::Problem& p)
      : s_(shape_of(p)), width_(s_.kept[s_.kept_rank - 1]), rows_(s_.kept_elements / width_) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* x = static_cast<const float*>(abi::address(at.in[0]));
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    const int64_t per_row = (width_ + kUnit - 1) / kUnit;
    const int64_t least = std::max<int64_t>(1, kLeastElements / (kUnit * s_.reduced_elements));
    parallel_for_large(queue, rows_ * per_row, least, [&](int64_t first, int64_t last) {
      while (first < last) {
        const int64_t row = first / per_row, begin = first % per_row * kUnit;
        const int64_t units = std::min({last - first, per_row - first % per_row, kWidest / kUnit});
        sum_column_range<kWidest>(s_, x + start_of(s_, s_.kept_rank - 1, row), begin,
                                  std::min(width_, begin + units * kUnit), y + row * width_, add_to);
        first += units;
      }
    });
  }

 private:
  // The threads share the columns in units of this many, so that two threads rarely write to one cache line.
  static constexpr int64_t kUnit = 16, kWidest = 1024;

  ReductionShape s_;
  int64_t width_, rows_;
};

// Each result is the sum of contiguous lines. Short sums are as fast without vectors.
class LineSums : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (const std::string why = p.only_f32(); !why.empty()) return why;
    const ReductionShape s = shape_of(p);
    return reduced_line(s).elements >= kLanes && s.reduced_elements >= 4 * kLanes
               ? ""
               : "the kernel supports only sums of 64 or more elements, of which 16 or more are contiguous";
  }
  LineSums(cutset_device, const abi::Problem& p) : s_(shape_of(p)), line_(reduced_line(s_)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* x = static_cast<const float*>(abi::address(at.in[0]));
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    const std::span<const int64_t> lines{s_.reduced, static_cast<size_t>(line_.outer)};
    const int64_t least = std::max<int64_t>(1, kLeastElements / s_.reduced_elements);
    parallel_for_large(queue, s_.kept_elements, least, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const float* from = x + start_of(s_, s_.kept_rank, i);
        double lanes[kLanes] = {}, sum = 0;
        for_each_element(lines, {s_.reduced_strides}, [&](int64_t, const int64_t (&line)[1]) {
          add_line(lanes, from + line[0], line_.elements);
        });
        for (const double lane : lanes) sum += lane;
        y[i] = static_cast<float>(sum);
      }
    });
  }

 private:
  ReductionShape s_;
  ReducedLine line_;
};

}  // namespace

void register_sums(abi::KernelTable& kernels) {
  add_kernel<ColumnSums>(kernels, "sum_to_size", "sum_to_size.columns");
  add_kernel<ColumnSums>(kernels, "reduce_sum", "reduce_sum.columns");
  add_kernel<LineSums>(kernels, "sum_to_size", "sum_to_size.lines");
  add_kernel<LineSums>(kernels, "reduce_sum", "reduce_sum.lines");
}

}  // namespace cutset::onednn
