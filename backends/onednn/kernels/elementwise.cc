// The elementwise functions that are expensive enough to be worth oneDNN's vector code and that keep NaN. oneDNN's exp,
// relu and maximum turn NaN into a number, so those ops run as reference kernels.
#include "backends/onednn/primitive.h"

namespace cutset::onednn {
namespace {

template <dnnl::algorithm kAlgorithm>
struct Eltwise {
  static void build(Chain& chain, const abi::Problem& p) {
    const auto x = plain(p.in_shape(0));
    dnnl::eltwise_forward::primitive_desc pd(engine(), dnnl::prop_kind::forward_training, kAlgorithm, x, x, 0.f, 0.f,
                                             user_scratchpad());
    chain.add<dnnl::eltwise_forward>(pd, {{DNNL_ARG_SRC, x, x, in(0)}, {DNNL_ARG_DST, x, x, out(0)}});
  }
};

}  // namespace

void register_elementwise(abi::KernelTable& kernels) {
  add_kernel<ChainKernel<Eltwise<dnnl::algorithm::eltwise_tanh>>>(kernels, "tanh", "tanh.onednn");
  add_kernel<ChainKernel<Eltwise<dnnl::algorithm::eltwise_logistic>>>(kernels, "sigmoid", "sigmoid.onednn");
}

}  // namespace cutset::onednn
