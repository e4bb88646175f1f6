// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/conv_product.h"
#include "backends/onednn/kernels/conv_description.h"
#include "ir/ops/conv_transpose/conv_transpose_attrs.h"

namespace cutset::onednn {
namespace {

struct Build {
  static void build(Chain& chain, const abi::Problem& p) {
    if (const ConvShape s = *conv_shape_of(p.attributes<ConvTransposeAttrs>(), p.out_shape(0), p.in_shape(1));
        is_faster_as_product(s))
      return add_transposed_product(chain, s, in(0), in(1), out(0));
    const auto c = describe_conv(p.attributes<ConvTransposeAttrs>(), p.out_shape(0), p.in_shape(1));
    dnnl::convolution_forward::primitive_desc hint(
        engine(), dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any(p.out_shape(0)),
        any(c.filter), any(p.in_shape(0)), c.strides, c.dilates, c.padding_left, c.padding_right);
    dnnl::convolution_backward_data::primitive_desc pd(
        engine(), dnnl::algorithm::convolution_direct, any(p.out_shape(0)), any(c.filter), any(p.in_shape(0)),
        c.strides, c.dilates, c.padding_left, c.padding_right, hint, user_scratchpad());
    chain.add<dnnl::convolution_backward_data>(
        pd, {{DNNL_ARG_DIFF_DST, pd.diff_dst_desc(), plain(p.in_shape(0)), in(0)},
             {DNNL_ARG_WEIGHTS, pd.weights_desc(), plain(c.filter), in(1)},
             {DNNL_ARG_DIFF_SRC, pd.diff_src_desc(), plain(p.out_shape(0)), out(0)}});
  }
};

}  // namespace

void register_conv_transpose(abi::KernelTable& kernels) {
  add_kernel<ChainKernel<Build>>(kernels, "conv_transpose", "conv_transpose.onednn");
}

}  // namespace cutset::onednn
