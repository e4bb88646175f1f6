// SPDX-License-Identifier: Apache-2.0
// The cross-entropy of rows of logits and their labels, and its gradient, in vectors and on all threads.
// oneDNN has no such primitive.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/line_reductions.h"
#include "backends/onednn/primitive.h"
#include "backends/onednn/vector_math.h"
#include "ir/ops/softmax_cross_entropy/labels.h"

namespace cutset::onednn {
namespace {

CUTSET_FOR_EACH_PROCESSOR
void losses_of(const float* x, const int64_t* labels, float* losses, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; ++i, x += n) {
    const int64_t label = labels[i];
    if (label < 0 || label >= n) {
      losses[i] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const float top = largest_of(x, n);
    const double sum = sum_of<float>(n, [x, top](int64_t j) { return fast_exp(x[j] - top); });
    losses[i] = static_cast<float>(std::log(sum)) + top - x[label];
  }
}

// A row whose label is not a class has the gradient of log(sum), as in the reference kernel.
CUTSET_FOR_EACH_PROCESSOR
void gradients_of(const float* g, const float* x, const int64_t* labels, float* d, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; ++i, x += n, d += n) {
    const float top = largest_of(x, n), gradient = g[i];
    for (int64_t j = 0; j < n; ++j) d[j] = fast_exp(x[j] - top);
    const auto factor = static_cast<float>(1 / sum_of<float>(n, [d](int64_t j) { return d[j]; }));
    const int64_t label = labels[i];
    const bool is_class = label >= 0 && label < n;
    const float probability = is_class ? d[label] * factor : 0;
    for (int64_t j = 0; j < n; ++j) d[j] = gradient * (d[j] * factor);
    if (is_class) d[label] = gradient * (probability - 1);
  }
}

// The operands are [gradient,] logits, labels.
template <bool kBackward>
class SoftmaxCrossEntropy : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    const DType type = p.in_type(kLogits);
    return type == DType::f32 ? "" : std::string("the kernel supports only f32, not ") + name_of(type);
  }
  SoftmaxCrossEntropy(cutset_device, const abi::Problem& p)
      : rows_(p.in_shape(kLogits)[0]), classes_(p.in_shape(kLogits)[1]), type_(p.in_type(kLogits + 1)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* x = static_cast<const float*>(abi::address(at.in[kLogits]));
    const void* labels = abi::address(at.in[kLogits + 1]);
    auto* to = static_cast<float*>(abi::address(at.out[0]));
    parallel_for_large(queue, rows_, std::max<int64_t>(1, kLeastElements / classes_),
                       [&](int64_t first, int64_t last) {
                         int64_t part[kRows];
                         for (int64_t row = first; row < last; row += kRows) {
                           const int64_t rows = std::min(kRows, last - row);
                           for (int64_t i = 0; i < rows; ++i) part[i] = label_at(type_, labels, row + i);
                           if constexpr (kBackward)
                             gradients_of(static_cast<const float*>(abi::address(at.in[0])) + row,
                                          x + row * classes_, part, to + row * classes_, rows, classes_);
                           else
                             losses_of(x + row * classes_, part, to + row, rows, classes_);
                         }
                       });
  }

 private:
  static constexpr size_t kLogits = kBackward ? 1 : 0;
  static constexpr int64_t kLeastElements = 4096;  // per thread
  static constexpr int64_t kRows = 256;            // the number of rows whose labels are converted at a time
  int64_t rows_, classes_;
  DType type_;
};

}  // namespace

void register_softmax_cross_entropy(abi::KernelTable& kernels) {
  add_kernel<SoftmaxCrossEntropy<false>>(kernels, "softmax_cross_entropy", "softmax_cross_entropy.rows");
  add_kernel<SoftmaxCrossEntropy<true>>(kernels, "softmax_cross_entropy_backward",
                                        "softmax_cross_entropy_backward.rows");
}

}  // namespace cutset::onednn
