// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/convolution.h"
#include "backends/portable/im2col.h"
#include "ir/ops/conv_transpose/conv_transpose_attrs.h"

namespace cutset::portable {

// The gradient of the patches is the product of the transposed filter and the gradient. Each element of the
// image then sums the gradients of its copies in the patches.
void ConvTranspose::build(Launches& list, const abi::Problem& p) {
  const auto& a = p.attributes<ConvTransposeAttrs>();
  const ConvShape s = *conv_shape_of(a, p.out_shape(0), p.in_shape(1));
  const int64_t k = patch_size(s), pixels = s.out();
  const Memory patches = list.take(patch_bytes(s));
  for (const Images& chunk : chunks(s)) {
    for (int64_t g = 0; g < s.groups; ++g)
      add_gemm(list,
               {.batch = chunk.count,
                .m = k,
                .n = pixels,
                .k = s.og,
                .a_row = 1,
                .a_column = k,
                .y_batch = s.o * pixels,
                .y_row = pixels,
                .c_batch = s.groups * k * pixels,
                .c_row = pixels,
                .a_offset = g * s.og * k,
                .y_offset = (chunk.first * s.o + g * s.og) * pixels,
                .c_offset = g * k * pixels},
               in(1), in(0), patches);
    add_sum_of_patches(list, s, chunk, patches, out(0));
  }
}

void register_conv_transpose(abi::KernelTable& kernels) {
  add_kernel<ConvTranspose>(kernels, "conv_transpose");
}

}  // namespace cutset::portable
