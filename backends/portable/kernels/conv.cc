// SPDX-License-Identifier: Apache-2.0
// The kernels of conv and of fused_conv, which are the same matrix products with another epilogue.
#include "backends/portable/convolution.h"
#include "backends/portable/im2col.h"
#include "ir/ops/conv/conv_attrs.h"
#include "ir/ops/fused_conv/fused_conv_product.h"

namespace cutset::portable {

static void build_conv(Launches& list, const abi::Problem& p, const ConvAttrs& a, bool relu) {
  const ConvShape s = *conv_shape_of(a, p.in_shape(0), p.in_shape(1));
  const int64_t k = patch_size(s), pixels = s.out();
  const Memory patches = list.take(patch_bytes(s));
  const bool has_bias = p.inputs() > 2;
  const Argument bias = has_bias ? in(2) : in(0);
  for (const Images& chunk : chunks(s)) {
    add_patches(list, s, chunk, in(0), patches);
    for (int64_t g = 0; g < s.groups; ++g)
      add_gemm(list,
               {.batch = chunk.count,
                .m = s.og,
                .n = pixels,
                .k = k,
                .a_row = k,
                .a_column = 1,
                .y_batch = s.groups * k * pixels,
                .y_row = pixels,
                .c_batch = s.o * pixels,
                .c_row = pixels,
                .a_offset = g * s.og * k,
                .y_offset = g * k * pixels,
                .c_offset = (chunk.first * s.o + g * s.og) * pixels,
                .bias_offset = g * s.og,
                .bias = has_bias ? Gemm::Bias::kOfRow : Gemm::Bias::kNone,
                .relu = relu},
               in(1), patches, out(0), has_bias ? &bias : nullptr);
  }
}

void Conv::build(Launches& list, const abi::Problem& p) {
  build_conv(list, p, p.attributes<ConvAttrs>(), false);
}
void FusedConv::build(Launches& list, const abi::Problem& p) {
  build_conv(list, p, product_of(p.attributes<FusedConvAttrs>()), true);
}

void register_conv(abi::KernelTable& kernels) {
  add_kernel<Conv>(kernels, "conv");
  add_kernel<FusedConv>(kernels, "fused_conv");
}

}  // namespace cutset::portable
