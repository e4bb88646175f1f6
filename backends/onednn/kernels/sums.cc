// Sums of columns, such as the gradient of a bias, and of lines, such as the sum of a channel, in vectors and on all threads. One thread computes
// a result, and it adds in f64, so the bits are the same for any number of threads.
#include <algorithm>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/line_sums.h"
#include "backends/onednn/primitive.h"
#include "ir/ops/reduction/reduction_attrs.h"
#include "ir/ops/reduction/reduction_shape.h"
#include "ir/structural/sum_to_size/sum_to_shape.h"

namespace cutset::onednn {
namespace {

CUTSET_FOR_EACH_PROCESSOR
void add_to(double* sums, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[i] += double{x[i]};
}

CUTSET_FOR_EACH_PROCESSOR
double sum_of_line(const float* x, int64_t n) {
  return sum_of<double>(n, [x](int64_t i) { return double{x[i]}; });
}

// Whether neighbouring results are sums of neighbouring elements.
bool sums_columns(const ReductionShape& s) {
  return s.kept_rank > 0 && s.kept_strides.at[s.kept_rank - 1] == 1 && s.reduced_rank > 0;
}

ReductionShape shape_of(const abi::Problem& p) {
  return p.inputs() > 1 ? sum_to_shape(p.in_shape(0), p.in_shape(1))
                        : *reduction_shape(p.in_shape(0), p.attributes<ReductionAttrs>().axes);
}

// The offset in x of kept element `index`, or of the row `index` of kept elements if `rank` leaves out the last kept dimension.
int64_t start_of(const ReductionShape& s, int rank, int64_t index) {
  int64_t at = 0;
  for (int d = rank; d-- > 0; index /= s.kept[d]) at += index % s.kept[d] * s.kept_strides.at[d];
  return at;
}

// Each thread owns a range of the columns. It adds the elements of a column in the order of the reference kernel, so the bits are its bits.
class ColumnSums : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (const std::string why = p.only_f32(); !why.empty()) return why;
    return sums_columns(shape_of(p)) ? "" : "the kernel supports only sums of columns";
  }
  ColumnSums(cutset_device, const abi::Problem& p)
      : s_(shape_of(p)), width_(s_.kept[s_.kept_rank - 1]), rows_(s_.kept_elements / width_) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* x = static_cast<const float*>(abi::address(at.in[0]));
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    // A unit is one or more columns, so that two threads rarely write to one cache line.
    const int64_t per_row = (width_ + kUnit - 1) / kUnit;
    const int64_t least = std::max<int64_t>(1, kLeastElements / (kUnit * s_.reduced_elements));
    parallel_for_large(queue, rows_ * per_row, least, [&](int64_t first, int64_t last) {
      while (first < last) {
        const int64_t row = first / per_row, begin = first % per_row * kUnit;
        const int64_t units = std::min({last - first, per_row - first % per_row, kWidest / kUnit});
        sum(x + start_of(s_, s_.kept_rank - 1, row), begin, std::min(width_, begin + units * kUnit), y + row * width_);
        first += units;
      }
    });
  }

 private:
  static constexpr int64_t kUnit = 16, kWidest = 1024;
  static constexpr int64_t kLeastElements = 8192;  // of a thread

  // Sums the columns [begin, end) of a row of results.
  void sum(const float* x, int64_t begin, int64_t end, float* y) const {
    double sums[kWidest] = {};
    for_each_element(s_.reduced_shape(), {s_.reduced_strides},
                     [&](int64_t, const int64_t (&at)[1]) { add_to(sums, x + at[0] + begin, end - begin); });
    for (int64_t i = begin; i < end; ++i) y[i] = static_cast<float>(sums[i - begin]);
  }

  ReductionShape s_;
  int64_t width_, rows_;
};

// Each result is the sum of contiguous lines.
class LineSums : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (const std::string why = p.only_f32(); !why.empty()) return why;
    return LineSums(nullptr, p).line_ > 1 ? "" : "the kernel supports only sums of contiguous elements";
  }
  LineSums(cutset_device, const abi::Problem& p) : s_(shape_of(p)), outer_(s_.reduced_rank) {
    while (outer_ > 0 && s_.reduced_strides.at[outer_ - 1] == line_) line_ *= s_.reduced[--outer_];
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* x = static_cast<const float*>(abi::address(at.in[0]));
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    const std::span<const int64_t> lines{s_.reduced, static_cast<size_t>(outer_)};
    const int64_t least = std::max<int64_t>(1, kLeastElements / s_.reduced_elements);
    parallel_for_large(queue, s_.kept_elements, least, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const float* from = x + start_of(s_, s_.kept_rank, i);
        double sum = 0;
        for_each_element(lines, {s_.reduced_strides},
                         [&](int64_t, const int64_t (&line)[1]) { sum += sum_of_line(from + line[0], line_); });
        y[i] = static_cast<float>(sum);
      }
    });
  }

 private:
  static constexpr int64_t kLeastElements = 8192;  // of a thread
  ReductionShape s_;
  int outer_;         // the reduced dimensions that are not part of a line
  int64_t line_ = 1;  // the elements of a line
};

}  // namespace

void register_sums(abi::KernelTable& kernels) {
  add_kernel<ColumnSums>(kernels, "sum_to_size", "sum_to_size.columns");
  add_kernel<ColumnSums>(kernels, "reduce_sum", "reduce_sum.columns");
  add_kernel<LineSums>(kernels, "sum_to_size", "sum_to_size.lines");
  add_kernel<LineSums>(kernels, "reduce_sum", "reduce_sum.lines");
}

}  // namespace cutset::onednn
