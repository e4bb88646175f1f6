// SPDX-License-Identifier: Apache-2.0
// Average pooling as parallel loops over the rows of the result. The kernels read plain tensors, as the ops
// around them do. They support all options. oneDNN does not support the divisor of windows that extend beyond
// the padded image.
#include <algorithm>

#include "backends/onednn/primitive.h"
#include "ir/ops/avg_pool/avg_pool_attrs.h"
#include "ir/ops/avg_pool/avg_pool_divisor.h"

namespace cutset::onednn {
namespace {

// The attributes and sizes of avg_pool or its gradient.
struct Means {
  template <class A>
  Means(const A& a, std::span<const int64_t> x)
      : s(*pool_shape_of(a, x)),
        include_pad(a.count_include_pad != 0),
        divisor_override(a.divisor_override) {}
  float divisor_at(int64_t z, int64_t i, int64_t j) const {
    return static_cast<float>(divisor(s.axes, z, i, j, include_pad, divisor_override));
  }

  PoolShape s;
  bool include_pad;
  int64_t divisor_override;
};

class Forward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  Forward(cutset_device, const abi::Problem& p) : means_(p.attributes<AvgPoolAttrs>(), p.in_shape(0)) {
    double terms = 1;
    for (const WindowAxis& axis : means_.s.axes) terms *= static_cast<double>(axis.kernel);
    in_f64_ = terms > kMostTerms;
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* images = static_cast<const float*>(abi::address(at.in[0]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    const PoolShape& s = means_.s;
    const auto& [d, h, w] = s.axes;
    parallel_for(queue, s.planes() * d.out * h.out, [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line) {
        const int64_t z = line / h.out % d.out, i = line % h.out;
        const float* x = images + line / h.out / d.out * s.in();
        float* y = results + line * w.out;
        if (in_f64_) {
          add_windows_in_f64(x, z, i, y);
        } else {
          std::fill_n(y, w.out, 0.f);
          add_windows(x, z, i, 0, w.out, y);
        }
        for (int64_t j = 0; j < w.out; ++j) y[j] /= means_.divisor_at(z, i, j);
      }
    });
  }

 private:
  // The largest number of elements that are added in f32, one after the other. The sums of larger windows are
  // f64.
  static constexpr double kMostTerms = 64;

  // Adds the elements of the windows [first, last) of a line to `sums`.
  template <class Sum>
  void add_windows(const float* x, int64_t z, int64_t i, int64_t first, int64_t last, Sum* sums) const {
    const WindowAxis& w = means_.s.axes[2];
    for_each_row_of_windows(means_.s.axes, z, i, [&](int64_t row, int64_t tap) {
      const Range columns = inside(w, tap);
      const float* v = x + row + covered(w, 0, tap);
      for (int64_t j = std::max(first, columns.first); j < std::min(last, columns.last); ++j)
        sums[j - first] += v[j * w.stride];
    });
  }
  void add_windows_in_f64(const float* x, int64_t z, int64_t i, float* y) const {
    constexpr int64_t kColumns = 64;
    const int64_t out = means_.s.axes[2].out;
    for (int64_t first = 0; first < out; first += kColumns) {
      const int64_t last = std::min(first + kColumns, out);
      double sums[kColumns] = {};
      add_windows(x, z, i, first, last, sums);
      for (int64_t j = first; j < last; ++j) y[j] = static_cast<float>(sums[j - first]);
    }
  }

  Means means_;
  bool in_f64_;
};

class Backward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  Backward(cutset_device, const abi::Problem& p)
      : means_(p.attributes<AvgPoolBackwardAttrs>(), p.out_shape(0)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* gradients = static_cast<const float*>(abi::address(at.in[0]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    const PoolShape& s = means_.s;
    parallel_for(queue, s.planes(), [&](int64_t first, int64_t last) {
      for (int64_t plane = first; plane < last; ++plane)
        channel(gradients + plane * s.out(), results + plane * s.in());
    });
  }

 private:
  // Computes the gradient of a channel of an image. An element adds the gradients of its windows in their
  // order.
  void channel(const float* g, float* dx) const {
    const PoolShape& s = means_.s;
    const auto& [d, h, w] = s.axes;
    std::fill_n(dx, s.in(), 0.f);
    for (int64_t z = 0; z < d.out; ++z)
      for (int64_t i = 0; i < h.out; ++i)
        for (int64_t j = 0; j < w.out; ++j) {
          const float share = *g++ / means_.divisor_at(z, i, j);
          for_each_in_window(s.axes, z, i, j, [&](int64_t at) { dx[at] += share; });
        }
  }

  Means means_;
};

}  // namespace

void register_avg_pool(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "avg_pool", "avg_pool.rows");
  add_kernel<Backward>(kernels, "avg_pool_backward", "avg_pool_backward.channels");
}

}  // namespace cutset::onednn
