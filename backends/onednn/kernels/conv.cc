#include "backends/onednn/kernels/conv_description.h"
#include "backends/onednn/relu_kernel.h"
#include "ir/ops/fused_conv/fused_conv_product.h"

namespace cutset::onednn {
namespace {

struct Conv {
  static void build(Chain& chain, const abi::Problem& p, const ConvAttrs& a) {
    const auto c = describe_conv(a, p.in_shape(0), p.in_shape(1));
    const bool bias = p.inputs() > 2;
    dnnl::convolution_forward::primitive_desc pd(
        engine(), dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any(p.in_shape(0)),
        any(c.filter), bias ? plain(p.in_shape(2)) : dnnl::memory::desc(), any(p.out_shape(0)), c.strides, c.dilates,
        c.padding_left, c.padding_right, user_scratchpad());
    std::vector<Chain::Argument> arguments = {{DNNL_ARG_SRC, pd.src_desc(), plain(p.in_shape(0)), in(0)},
                                              {DNNL_ARG_WEIGHTS, pd.weights_desc(), plain(c.filter), in(1)},
                                              {DNNL_ARG_DST, pd.dst_desc(), plain(p.out_shape(0)), out(0)}};
    if (bias) arguments.push_back({DNNL_ARG_BIAS, pd.bias_desc(), plain(p.in_shape(2)), in(2)});
    chain.add<dnnl::convolution_forward>(pd, arguments);
  }
};

struct Plain {
  static void build(Chain& chain, const abi::Problem& p) { Conv::build(chain, p, p.attributes<ConvAttrs>()); }
};
struct Fused {
  static bool relu(const abi::Problem&) { return true; }
  static void build(Chain& chain, const abi::Problem& p) {
    Conv::build(chain, p, product_of(p.attributes<FusedConvAttrs>()));
  }
};

}  // namespace

void register_conv(abi::KernelTable& kernels) {
  add_kernel<ChainKernel<Plain>>(kernels, "conv", "conv.onednn");
  add_kernel<ReluKernel<Fused>>(kernels, "fused_conv", "fused_conv.onednn");
}

}  // namespace cutset::onednn
