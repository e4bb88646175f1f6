// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/convolution.h"
#include "backends/portable/im2col.h"
#include "ir/ops/conv_backward_filter/conv_backward_filter_attrs.h"

namespace cutset::portable {

static const char* const kAdd = R"(
KERNEL(add_sum)(TENSOR(const float, from), TENSOR(float, to), int n) {
  BIND(const float, from); BIND(float, to);
  int i = ITEM;
  if (i < n) to[i] += from[i];
}
)";

// The gradient of the filter is a matrix product that sums over images and pixels:
//   result[o][c m k l] = sum of gradient[image][o][pixel] * patches[image][pixel][c m k l].
// The sum over the first chunk of images is written to the result. The sum over each further chunk is written
// to scratch memory and added to the result, in the order of the chunks.
void ConvBackwardFilter::build(Launches& list, const abi::Problem& p) {
  const auto& a = p.attributes<ConvBackwardFilterAttrs>();
  const ConvShape s = *conv_shape_of(a, p.in_shape(1), p.out_shape(0));
  const int64_t k = patch_size(s), pixels = s.out(), row = s.groups * k;
  const Memory patches = list.take(patch_bytes(s)), chunk_sum = list.take(chunk_sum_bytes(s));
  for (const Images& chunk : chunks(s)) {
    const Memory sum = chunk.first == 0 ? out(0) : chunk_sum;
    add_transposed_patches(list, s, chunk, in(1), patches);
    for (int64_t g = 0; g < s.groups; ++g)
      add_gemm(list,
               {.m = s.og,
                .n = k,
                .k = pixels,
                .q = chunk.count,
                .a_q = s.o * pixels,
                .a_row = pixels,
                .a_column = 1,
                .y_q = pixels * row,
                .y_row = row,
                .c_row = k,
                .a_offset = (chunk.first * s.o + g * s.og) * pixels,
                .y_offset = g * k,
                .c_offset = g * s.og * k},
               in(0), patches, sum);
    if (chunk.first > 0) list.add_flat(kAdd, "add_sum", s.o * k, {chunk_sum, out(0), s.o * k});
  }
}

void register_conv_backward_filter(abi::KernelTable& kernels) {
  add_kernel<ConvBackwardFilter>(kernels, "conv_backward_filter");
}

}  // namespace cutset::portable
