// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm and their gradients along the last dimension, in vectors and on all threads.
// oneDNN's primitive turns NaN into a number.
#include <algorithm>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/line_reductions.h"
#include "backends/onednn/primitive.h"
#include "backends/onednn/vector_math.h"
#include "ir/ops/softmax/softmax_attrs.h"
#include "ir/ops/softmax/softmax_lines.h"

namespace cutset::onednn {
namespace {

// The lanes of sums of gradients are f64, because the summands may cancel. The lanes of sums of exponentials
// are f32.

// Each function computes `lines` lines of `n` elements. The gradients read y, the result of the forward op.
using Lines = void (*)(const float* x, const float* y, float* d, int64_t lines, int64_t n);

CUTSET_FOR_EACH_PROCESSOR
void softmax_of(const float* x, const float*, float* d, int64_t lines, int64_t n) {
  for (; lines > 0; --lines, x += n, d += n) {
    const float top = largest_of(x, n);
    for (int64_t j = 0; j < n; ++j) d[j] = fast_exp(x[j] - top);
    const auto factor = static_cast<float>(1 / sum_of<float>(n, [d](int64_t j) { return d[j]; }));
    for (int64_t j = 0; j < n; ++j) d[j] *= factor;
  }
}
CUTSET_FOR_EACH_PROCESSOR
void log_softmax_of(const float* x, const float*, float* d, int64_t lines, int64_t n) {
  for (; lines > 0; --lines, x += n, d += n) {
    const float top = largest_of(x, n);
    const auto log_of_sum =
        static_cast<float>(std::log(sum_of<float>(n, [x, top](int64_t j) { return fast_exp(x[j] - top); })));
    for (int64_t j = 0; j < n; ++j) d[j] = x[j] - top - log_of_sum;
  }
}
CUTSET_FOR_EACH_PROCESSOR
void softmax_backward_of(const float* g, const float* y, float* d, int64_t lines, int64_t n) {
  for (; lines > 0; --lines, g += n, y += n, d += n) {
    const auto sum = static_cast<float>(sum_of<double>(n, [g, y](int64_t j) { return double{g[j]} * y[j]; }));
    for (int64_t j = 0; j < n; ++j) d[j] = y[j] * (g[j] - sum);
  }
}
CUTSET_FOR_EACH_PROCESSOR
void log_softmax_backward_of(const float* g, const float* y, float* d, int64_t lines, int64_t n) {
  for (; lines > 0; --lines, g += n, y += n, d += n) {
    const auto sum = static_cast<float>(sum_of<double>(n, [g](int64_t j) { return g[j]; }));
    for (int64_t j = 0; j < n; ++j) d[j] = g[j] - fast_exp(y[j]) * sum;
  }
}

// A is the attribute struct of the op.
template <Lines kLines, class A>
class Softmax : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (const std::string why = p.only_f32(); !why.empty()) return why;
    return lines_of(p).inner == 1 ? "" : "the kernel supports only lines along the last dimension";
  }
  Softmax(cutset_device, const abi::Problem& p) : lines_(lines_of(p)), backward_(p.inputs() > 1) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* x = static_cast<const float*>(abi::address(at.in[0]));
    const auto* y = backward_ ? static_cast<const float*>(abi::address(at.in[1])) : x;
    auto* d = static_cast<float*>(abi::address(at.out[0]));
    const int64_t n = lines_.length;
    parallel_for_large(queue, lines_.outer, std::max<int64_t>(1, kLeastElements / n),
                       [&](int64_t first, int64_t last) {
                         kLines(x + first * n, y + first * n, d + first * n, last - first, n);
                       });
  }

 private:
  static constexpr int64_t kLeastElements = 4096;  // per thread
  static SoftmaxLines lines_of(const abi::Problem& p) {
    return *softmax_lines(p.in_shape(0), p.template attributes<A>().axis);
  }
  SoftmaxLines lines_;
  bool backward_;
};

}  // namespace

void register_softmax(abi::KernelTable& kernels) {
  add_kernel<Softmax<softmax_of, SoftmaxAttrs>>(kernels, "softmax", "softmax.lines");
  add_kernel<Softmax<log_softmax_of, SoftmaxAttrs>>(kernels, "log_softmax", "log_softmax.lines");
  add_kernel<Softmax<softmax_backward_of, SoftmaxBackwardAttrs>>(kernels, "softmax_backward",
                                                                 "softmax_backward.lines");
  add_kernel<Softmax<log_softmax_backward_of, SoftmaxBackwardAttrs>>(kernels, "log_softmax_backward",
                                                                     "log_softmax_backward.lines");
}

}  // namespace cutset::onednn
