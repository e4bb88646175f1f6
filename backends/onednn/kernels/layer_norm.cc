// SPDX-License-Identifier: Apache-2.0
// Layer normalization and its gradients in vectors and on all threads. oneDNN's backward primitive needs the
// statistics of the rows as operands, so x would be read once more to compute them.
#include <algorithm>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"
#include "backends/onednn/vector_math.h"
#include "ir/ops/layer_norm/layer_norm_attrs.h"
#include "ir/ops/layer_norm/layer_norm_rows.h"

// Instantiates these functions here, because clang 22 does not emit a function if all its callers have
// target_clones.
namespace cutset {
template RowStatistics::RowStatistics(const float*, int64_t, double);
template void normalize_row(const float*, const float*, const float*, float*, int64_t, double);
template void gradient_of_row(const float*, const float*, const float*, float*, int64_t, double);
template void add_scale_of_row(const float*, const float*, double*, int64_t, double, int64_t, int64_t);
}  // namespace cutset

namespace cutset::onednn {
namespace {

CUTSET_FOR_EACH_PROCESSOR
void normalize_rows(const float* x, const float* scale, const float* bias, float* y,
                    const LayerNormRows& rows, double epsilon) {
  for (int64_t at = 0; at < rows.count * rows.width; at += rows.width)
    normalize_row(x + at, scale, bias, y + at, rows.width, epsilon);
}
CUTSET_FOR_EACH_PROCESSOR
void gradient_of_rows(const float* g, const float* x, const float* scale, float* d, const LayerNormRows& rows,
                      double epsilon) {
  for (int64_t at = 0; at < rows.count * rows.width; at += rows.width)
    gradient_of_row(g + at, x + at, scale, d + at, rows.width, epsilon);
}
CUTSET_FOR_EACH_PROCESSOR
void sum_scale_of_rows(const float* g, const float* x, double* sums, const LayerNormRows& rows,
                       double epsilon) {
  std::fill_n(sums, rows.width, 0.0);
  for (int64_t at = 0; at < rows.count * rows.width; at += rows.width)
    add_scale_of_row(g + at, x + at, sums, rows.width, epsilon, 0, rows.width);
}

// Returns the rows [first, last) of `all`.
LayerNormRows part(const LayerNormRows& all, int64_t first, int64_t last) {
  return {all.axis, last - first, all.width};
}
const float* operand(const abi::Operands& at, size_t i) {
  return static_cast<const float*>(abi::address(at.in[i]));
}
float* result(const abi::Operands& at) { return static_cast<float*>(abi::address(at.out[0])); }

class Forward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  Forward(cutset_device, const abi::Problem& p)
      : epsilon_(p.attributes<LayerNormAttrs>().epsilon),
        rows_(*layer_norm_rows(p.in_shape(0), p.attributes<LayerNormAttrs>().axis)),
        biased_(p.inputs() > 2) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const float *x = operand(at, 0), *scale = operand(at, 1), *bias = biased_ ? operand(at, 2) : nullptr;
    parallel_for(queue, rows_.count, [&](int64_t first, int64_t last) {
      const int64_t begin = first * rows_.width;
      normalize_rows(x + begin, scale, bias, result(at) + begin, part(rows_, first, last), epsilon_);
    });
  }

 private:
  double epsilon_;
  LayerNormRows rows_;
  bool biased_;
};

class BackwardInput : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  BackwardInput(cutset_device, const abi::Problem& p)
      : epsilon_(p.attributes<LayerNormBackwardInputAttrs>().epsilon),
        rows_(*layer_norm_rows(p.in_shape(1), p.attributes<LayerNormBackwardInputAttrs>().axis)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    parallel_for(queue, rows_.count, [&](int64_t first, int64_t last) {
      const int64_t begin = first * rows_.width;
      gradient_of_rows(operand(at, 0) + begin, operand(at, 1) + begin, operand(at, 2), result(at) + begin,
                       part(rows_, first, last), epsilon_);
    });
  }

 private:
  double epsilon_;
  LayerNormRows rows_;
};

// The rows are added in blocks, and the sums of the blocks are added in their order. The number of blocks
// does not depend on the number of threads, so neither do the bits.
class BackwardScale {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    return BackwardScale(nullptr, p).scratch_bytes();
  }
  BackwardScale(cutset_device, const abi::Problem& p)
      : epsilon_(p.attributes<LayerNormBackwardScaleAttrs>().epsilon),
        rows_(*layer_norm_rows(p.in_shape(1), p.attributes<LayerNormBackwardScaleAttrs>().axis)),
        blocks_(std::min(rows_.count, kMostBlocks)) {}
  uint64_t scratch_bytes() const { return static_cast<uint64_t>(blocks_ * rows_.width) * sizeof(double); }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    double* sums = scratch_bytes() > 0 ? static_cast<double*>(abi::address(*at.scratch)) : nullptr;
    parallel_for(queue, blocks_, [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        const int64_t row = rows_.count * b / blocks_, end = rows_.count * (b + 1) / blocks_;
        sum_scale_of_rows(operand(at, 0) + row * rows_.width, operand(at, 1) + row * rows_.width,
                          sums + b * rows_.width, part(rows_, row, end), epsilon_);
      }
    });
    float* d = result(at);
    if (blocks_ == 0) std::fill_n(d, rows_.width, 0.0f);
    for (int64_t b = 1; b < blocks_; ++b)
      for (int64_t j = 0; j < rows_.width; ++j) sums[j] += sums[b * rows_.width + j];
    for (int64_t j = 0; blocks_ > 0 && j < rows_.width; ++j) d[j] = static_cast<float>(sums[j]);
  }

 private:
  static constexpr int64_t kMostBlocks = 64;
  double epsilon_;
  LayerNormRows rows_;
  int64_t blocks_;
};

}  // namespace

void register_layer_norm(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "layer_norm", "layer_norm.rows");
  add_kernel<BackwardInput>(kernels, "layer_norm_backward_input", "layer_norm_backward_input.rows");
  add_kernel<BackwardScale>(kernels, "layer_norm_backward_scale", "layer_norm_backward_scale.rows");
}

}  // namespace cutset::onednn
