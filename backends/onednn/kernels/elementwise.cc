// SPDX-License-Identifier: Apache-2.0
// The elementwise functions that are expensive enough to be worth oneDNN's vector code and that keep NaN.
// oneDNN's exp, relu and maximum turn NaN into a number, so those ops run as reference kernels. erf, gelu and
// the gradient of gelu are loops of this backend, because the reference kernels call the C library for one
// element at a time.
#include <algorithm>
#include <string>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"
#include "backends/onednn/vector_math.h"

namespace cutset::onednn {
namespace {

template <dnnl::algorithm kAlgorithm>
struct Eltwise {
  static void build(Chain& chain, const abi::Problem& p) {
    const auto x = plain(p.in_shape(0));
    dnnl::eltwise_forward::primitive_desc pd(engine(), dnnl::prop_kind::forward_training, kAlgorithm, x, x,
                                             0.f, 0.f, user_scratchpad());
    chain.add<dnnl::eltwise_forward>(pd, {{DNNL_ARG_SRC, x, x, in(0)}, {DNNL_ARG_DST, x, x, out(0)}});
  }
};

// Each function computes the elements [0, n) of y.
using Loop = void (*)(const float* a, const float* b, float* y, int64_t n);

CUTSET_FOR_EACH_PROCESSOR
void erf_of_all(const float* a, const float*, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = fast_erf(a[i]);
}
CUTSET_FOR_EACH_PROCESSOR
void gelu_of_all(const float* a, const float*, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * fast_normal_distribution(a[i]);
}
CUTSET_FOR_EACH_PROCESSOR
void gelu_backward_of_all(const float* a, const float* b, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float density = 0.39894228040f * fast_exp(-0.5f * b[i] * b[i]);
    y[i] = a[i] * (fast_normal_distribution(b[i]) + b[i] * density);
  }
}

template <Loop kLoop>
class Elementwise : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    for (size_t i = 1; i < p.inputs(); ++i)
      if (!std::ranges::equal(p.in_shape(i), p.in_shape(0)))
        return "the kernel supports only operands of one shape";
    return p.only_f32();
  }
  Elementwise(cutset_device, const abi::Problem& p)
      : elements_(abi::type_of(p.tensor(0)).elements()), binary_(p.inputs() > 1) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* a = static_cast<const float*>(abi::address(at.in[0]));
    const auto* b = binary_ ? static_cast<const float*>(abi::address(at.in[1])) : a;
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    parallel_for_large(queue, elements_, kLeastElements, [&](int64_t first, int64_t last) {
      kLoop(a + first, b + first, y + first, last - first);
    });
  }

 private:
  static constexpr int64_t kLeastElements = 8192;  // per thread
  int64_t elements_;
  bool binary_;
};

}  // namespace

void register_elementwise(abi::KernelTable& kernels) {
  add_kernel<ChainKernel<Eltwise<dnnl::algorithm::eltwise_tanh>>>(kernels, "tanh", "tanh.onednn");
  add_kernel<ChainKernel<Eltwise<dnnl::algorithm::eltwise_logistic>>>(kernels, "sigmoid", "sigmoid.onednn");
  add_kernel<Elementwise<erf_of_all>>(kernels, "erf", "erf.vectors");
  add_kernel<Elementwise<gelu_of_all>>(kernels, "gelu", "gelu.vectors");
  add_kernel<Elementwise<gelu_backward_of_all>>(kernels, "gelu_backward", "gelu_backward.vectors");
}

}  // namespace cutset::onednn
