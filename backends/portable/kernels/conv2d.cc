#include "backends/portable/convolution.h"
#include "backends/portable/im2col.h"
#include "ir/ops/conv2d/conv2d_attrs.h"

namespace cutset::portable {

static const char* const kBias = R"(
KERNEL(add_bias)(TENSOR(const float, bias), TENSOR(float, y), int channels, int pixels, int n) {
  BIND(const float, bias); BIND(float, y);
  int i = ITEM;
  if (i < n) y[i] += bias[i / pixels % channels];
}
)";

void Conv2d::build(Launches& list, const abi::Problem& p) {
  const auto& a = p.attributes<Conv2dAttrs>();
  const Conv2dShape s = *conv2d_shape(p.in_shape(0), p.in_shape(1), a.stride, a.padding, a.dilation, a.groups);
  const int64_t k = patch_size(s), pixels = s.oh * s.ow;
  const Memory patches = list.take(patch_bytes(s));
  for (const Images& chunk : chunks(s)) {
    add_patches(list, s, chunk, in(0), patches);
    for (int64_t g = 0; g < s.groups; ++g) {
      const Argument bias = p.inputs() > 2 && s.groups == 1 ? in(2) : in(0);
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
                .c_offset = (chunk.first * s.o + g * s.og) * pixels},
               in(1), patches, out(0), p.inputs() > 2 && s.groups == 1 ? &bias : nullptr);
    }
  }
  const int64_t n = elements(p.out_shape(0));
  if (p.inputs() > 2 && s.groups > 1) list.add_flat(kBias, "add_bias", n, {in(2), out(0), s.o, pixels, n});
}

void register_conv2d(abi::KernelTable& kernels) { add_kernel<Conv2d>(kernels, "conv2d"); }

}  // namespace cutset::portable
