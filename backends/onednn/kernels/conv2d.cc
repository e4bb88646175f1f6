#include "backends/onednn/kernels/conv2d_description.h"
#include "ir/ops/conv2d/conv2d_attrs.h"

namespace cutset::onednn {
namespace {

struct Build {
  static void build(Chain& chain, const abi::Problem& p) {
    const auto c = describe_conv(p.attributes<Conv2dAttrs>(), p.in_shape(0), p.in_shape(1), p.out_shape(0));
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

}  // namespace

void register_conv2d(abi::KernelTable& kernels) { kernels.add<ChainKernel<Build>>("conv2d", "conv2d.onednn"); }

}  // namespace cutset::onednn
