// SPDX-License-Identifier: Apache-2.0
// The sums per channel of batch normalization, with one thread per group of channels. The elements of a
// channel are added in the same order for any number of threads.
#include <cmath>

#include "backends/onednn/primitive.h"
#include "ir/ops/batch_norm/batch_norm_attrs.h"
#include "ir/ops/batch_norm/batch_norm_planes.h"

namespace cutset::onednn {
namespace {

// Returns the sum of term(i) for i in [0, n). It has several accumulators, so that the compiler can use
// vectors.
template <class F>
double sum_of(int64_t n, F&& term) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] += term(i + l);
  for (; i < n; ++i) lanes[0] += term(i);
  double sum = 0;
  for (double lane : lanes) sum += lane;
  return sum;
}

// Writes finish(channel, sum) for each channel, where `sum` is the sum of term(index, channel) over the
// elements of the channel.
template <class F, class G>
void sum_channels(cutset_queue queue, const ChannelPlanes& p, float* sums, F&& term, G&& finish) {
  parallel_for(queue, p.channels, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      double sum = 0;
      for (int64_t n = 0; n < p.samples; ++n) {
        const int64_t at = (n * p.channels + c) * p.pixels;
        sum += sum_of(p.pixels, [&](int64_t i) { return term(at + i, c); });
      }
      sums[c] = static_cast<float>(finish(c, sum));
    }
  });
}

const float* operand(const abi::Operands& at, size_t i) {
  return static_cast<const float*>(abi::address(at.in[i]));
}
float* result(const abi::Operands& at) { return static_cast<float*>(abi::address(at.out[0])); }

class BackwardScale : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  BackwardScale(cutset_device, const abi::Problem& p)
      : planes_(p.in_shape(1)), epsilon_(p.attributes<BatchNormBackwardScaleAttrs>().epsilon) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const float *g = operand(at, 0), *x = operand(at, 1), *mean = operand(at, 2), *variance = operand(at, 3);
    sum_channels(
        queue, planes_, result(at),
        [&](int64_t i, int64_t c) { return static_cast<double>(g[i]) * static_cast<double>(x[i] - mean[c]); },
        [&](int64_t c, double sum) { return sum / std::sqrt(variance[c] + epsilon_); });
  }

 private:
  ChannelPlanes planes_;
  double epsilon_;
};

class SumSquaredDeviations : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  SumSquaredDeviations(cutset_device, const abi::Problem& p) : planes_(p.in_shape(0)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const float *x = operand(at, 0), *mean = operand(at, 1);
    sum_channels(
        queue, planes_, result(at),
        [&](int64_t i, int64_t c) {
          const double d = static_cast<double>(x[i]) - mean[c];
          return d * d;
        },
        [](int64_t, double sum) { return sum; });
  }

 private:
  ChannelPlanes planes_;
};

}  // namespace

void register_batch_norm(abi::KernelTable& kernels) {
  add_kernel<BackwardScale>(kernels, "batch_norm_backward_scale", "batch_norm_backward_scale.channels");
  add_kernel<SumSquaredDeviations>(kernels, "sum_squared_deviations", "sum_squared_deviations.channels");
}

}  // namespace cutset::onednn
