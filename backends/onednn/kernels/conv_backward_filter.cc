// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/kernels/conv_description.h"
#include "ir/ops/conv_backward_filter/conv_backward_filter_attrs.h"

namespace cutset::onednn {
namespace {

struct Build {
  static void build(Chain& chain, const abi::Problem& p) {
    const auto c = describe_conv(p.attributes<ConvBackwardFilterAttrs>(), p.in_shape(1), p.out_shape(0));
    dnnl::convolution_forward::primitive_desc hint(
        engine(), dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any(p.in_shape(1)),
        any(c.filter), any(p.in_shape(0)), c.strides, c.dilates, c.padding_left, c.padding_right);
    dnnl::convolution_backward_weights::primitive_desc pd(
        engine(), dnnl::algorithm::convolution_direct, any(p.in_shape(1)), any(c.filter), any(p.in_shape(0)),
        c.strides, c.dilates, c.padding_left, c.padding_right, hint, user_scratchpad());
    chain.add<dnnl::convolution_backward_weights>(
        pd, {{DNNL_ARG_DIFF_DST, pd.diff_dst_desc(), plain(p.in_shape(0)), in(0)},
             {DNNL_ARG_SRC, pd.src_desc(), plain(p.in_shape(1)), in(1)},
             {DNNL_ARG_DIFF_WEIGHTS, pd.diff_weights_desc(), plain(c.filter), out(0)}});
  }
};

}  // namespace

void register_conv_backward_filter(abi::KernelTable& kernels) {
  add_kernel<ChainKernel<Build>>(kernels, "conv_backward_filter", "conv_backward_filter.onednn");
}

}  // namespace cutset::onednn
