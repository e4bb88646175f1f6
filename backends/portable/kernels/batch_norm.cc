// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"
#include "ir/ops/batch_norm/batch_norm_attrs.h"
#include "ir/ops/batch_norm/batch_norm_planes.h"

namespace cutset::portable {
namespace {

// A tensor is [samples, channels, pixels]. `products` and `squares` compute the terms that a reduction adds
// per channel.
const char* kSource = R"(
KERNEL(batch_norm)(TENSOR(const float, x), TENSOR(const float, w), TENSOR(const float, b), TENSOR(const float, mean),
                   TENSOR(const float, variance), TENSOR(float, y), int channels, int pixels, int n, float epsilon) {
  BIND(const float, x); BIND(const float, w); BIND(const float, b); BIND(const float, mean);
  BIND(const float, variance); BIND(float, y);
  int i = ITEM;
  if (i >= n) return;
  int c = i / pixels % channels;
  float factor = w[c] / sqrt(variance[c] + epsilon);
  y[i] = (x[i] - mean[c]) * factor + b[c];
}
KERNEL(products)(TENSOR(const float, g), TENSOR(const float, x), TENSOR(const float, mean),
                 TENSOR(const float, variance), TENSOR(float, d), int channels, int pixels, int n, float epsilon) {
  BIND(const float, g); BIND(const float, x); BIND(const float, mean); BIND(const float, variance); BIND(float, d);
  int i = ITEM;
  if (i >= n) return;
  int c = i / pixels % channels;
  d[i] = g[i] * ((x[i] - mean[c]) / sqrt(variance[c] + epsilon));
}
KERNEL(squares)(TENSOR(const float, x), TENSOR(const float, mean), TENSOR(float, d), int channels, int pixels, int n) {
  BIND(const float, x); BIND(const float, mean); BIND(float, d);
  int i = ITEM;
  if (i >= n) return;
  float from_mean = x[i] - mean[i / pixels % channels];
  d[i] = from_mean * from_mean;
}
)";

// Appends the reduction of `terms`, a tensor with these planes, to one sum per channel.
void add_channel_sums(Launches& list, const ChannelPlanes& p, Memory terms) {
  const int64_t shape[] = {p.samples, p.channels, p.pixels};
  const bool reduces[kMaxRank] = {true, false, true};
  add_reduction(list, Reduction::kSum, split_dimensions(shape, reduces), terms, out(0));
}

struct BatchNorm : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const ChannelPlanes s(p.in_shape(0));
    const int64_t n = elements(p.in_shape(0));
    list.add_flat(kSource, "batch_norm", n,
                  {in(0), in(1), in(2), in(3), in(4), out(0), s.channels, s.pixels, n,
                   static_cast<float>(p.attributes<BatchNormAttrs>().epsilon)});
  }
};

struct BackwardScale : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const ChannelPlanes s(p.in_shape(1));
    const int64_t n = elements(p.in_shape(1));
    const Memory products = list.take(sizeof(float) * static_cast<uint64_t>(n));
    list.add_flat(kSource, "products", n,
                  {in(0), in(1), in(2), in(3), products, s.channels, s.pixels, n,
                   static_cast<float>(p.attributes<BatchNormBackwardScaleAttrs>().epsilon)});
    add_channel_sums(list, s, products);
  }
};

struct SumSquaredDeviations : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const ChannelPlanes s(p.in_shape(0));
    const int64_t n = elements(p.in_shape(0));
    const Memory squares = list.take(sizeof(float) * static_cast<uint64_t>(n));
    list.add_flat(kSource, "squares", n, {in(0), in(1), squares, s.channels, s.pixels, n});
    add_channel_sums(list, s, squares);
  }
};

}  // namespace

void register_batch_norm(abi::KernelTable& kernels) {
  add_kernel<BatchNorm>(kernels, "batch_norm");
  add_kernel<BackwardScale>(kernels, "batch_norm_backward_scale");
  add_kernel<SumSquaredDeviations>(kernels, "sum_squared_deviations");
}

}  // namespace cutset::portable
