#include "backends/portable/convolution.h"
#include "backends/portable/im2col.h"
#include "ir/ops/conv2d_backward_filter/conv2d_backward_filter_attrs.h"

namespace cutset::portable {

// The gradient of the filter is a matrix product that sums over images and pixels:
//   result[o][c k l] = sum of gradient[image][o][pixel] * patches[image][pixel][c k l].
void Conv2dBackwardFilter::build(Launches& list, const abi::Problem& p) {
  const auto& a = p.attributes<Conv2dBackwardFilterAttrs>();
  const Conv2dShape s = *conv2d_shape(p.in_shape(1), p.out_shape(0), a.stride, a.padding, a.dilation, a.groups);
  const int64_t k = patch_size(s), pixels = s.oh * s.ow, row = s.groups * k;
  const Memory patches = list.take(patch_bytes(s));
  add_transposed_patches(list, s, in(1), patches);
  for (int64_t g = 0; g < s.groups; ++g)
    add_gemm(list,
             {.m = s.og,
              .n = k,
              .k = pixels,
              .q = s.n,
              .a_q = s.o * pixels,
              .a_row = pixels,
              .a_column = 1,
              .y_q = pixels * row,
              .y_row = row,
              .c_row = k,
              .a_offset = g * s.og * pixels,
              .y_offset = g * k,
              .c_offset = g * s.og * k},
             in(0), patches, out(0));
}

void register_conv2d_backward_filter(abi::KernelTable& kernels) {
  add_kernel<Conv2dBackwardFilter>(kernels, "conv2d_backward_filter");
}

}  // namespace cutset::portable
