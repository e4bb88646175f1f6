// Max-pooling as parallel loops. oneDNN's max-pooling is not used: its forward op turns NaN into a number, and its
// backward op needs a workspace that only its forward op makes.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/onednn/primitive.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::onednn {
namespace {

// Whether `v` takes the place of the largest element so far. The first NaN of a window is its maximum: the negation of
// `v <= largest` is true for a NaN, and `largest == largest` is false once a NaN was found.
bool wins(float v, float largest) { return !(v <= largest) & (largest == largest); }

class Forward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  Forward(cutset_device, const abi::Problem& p) : s_(*pool_shape_of(p.attributes<PoolingAttrs>(), p.in_shape(0))) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* images = static_cast<const float*>(abi::address(at.in[0]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    const auto& [d, h, w] = s_.axes;
    parallel_for(queue, s_.planes() * d.out * h.out, [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line) {
        const float* x = images + line / h.out / d.out * s_.in();
        float* y = results + line * w.out;
        std::fill_n(y, w.out, -std::numeric_limits<float>::infinity());
        for_each_row_of_windows(s_.axes, line / h.out % d.out, line % h.out, [&](int64_t row, int64_t tap) {
          const Range columns = inside(w, tap);
          const float* v = x + row + covered(w, 0, tap);
          for (int64_t j = columns.first; j < columns.last; ++j)
            y[j] = wins(v[j * w.stride], y[j]) ? v[j * w.stride] : y[j];
        });
      }
    });
  }

 private:
  PoolShape s_;
};

class Backward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    const PoolShape s = *pool_shape_of(p.attributes<PoolingBackwardAttrs>(), p.in_shape(1));
    for (const WindowAxis& axis : s.axes)
      if (axis.before || axis.after || axis.dilation > 1 || (axis.out - 1) * axis.stride + axis.kernel > axis.in)
        return "the kernel supports only windows inside the image, without dilation";
    if (s.axes[0] != WindowAxis()) return "the kernel supports only images of one or two axes";
    return p.only_f32();
  }
  Backward(cutset_device, const abi::Problem& p)
      : s_(*pool_shape_of(p.attributes<PoolingBackwardAttrs>(), p.in_shape(1))) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* gradients = static_cast<const float*>(abi::address(at.in[0]));
    const auto* images = static_cast<const float*>(abi::address(at.in[1]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    const auto& [d, h, w] = s_.axes;
    parallel_for(queue, s_.planes(), [&](int64_t first, int64_t last) {
      // `apart`: no two windows share an element. `covered`: moreover, every element is in a window.
      const bool apart = h.stride >= h.kernel && w.stride >= w.kernel;
      const bool covered =
          h.stride == h.kernel && w.stride == w.kernel && h.out * h.stride == h.in && w.out * w.stride == w.in;
      if (!covered)
        std::memset(results + first * h.in * w.in, 0,
                    static_cast<size_t>((last - first) * h.in * w.in) * sizeof(float));
      for (int64_t line = first * h.out; line < last * h.out; ++line) {
        const int64_t corner = (line / h.out * h.in + line % h.out * h.stride) * w.in;
        if (!apart) {
          windows_that_overlap(gradients + line * w.out, images + corner, results + corner);
          continue;
        }
        for (int64_t j = 0; j < w.out; j += kBlock) {
          const float *g = gradients + line * w.out + j, *x = images + corner + j * w.stride;
          float* to = results + corner + j * w.stride;
          const int64_t n = std::min(kBlock, w.out - j);
          if (covered && h.kernel == 2 && w.kernel == 2)
            windows_apart(g, x, to, n, w.in, 2, 2, 2);  // by far the most frequent case
          else
            windows_apart(g, x, to, n, w.in, h.kernel, w.kernel, w.stride);
        }
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 64;

  // Computes the gradient of `n` neighbouring windows that do not overlap. A window has kh x kw elements, and the next
  // window begins `sw` elements later. A row has `width` elements. Each element of a window is written once, so no
  // gradients are summed. A gradient is still added to 0, because the reference kernel does so: this addition turns -0
  // into 0. The function is inlined, so that the compiler makes vector code where the caller passes constants.
  [[gnu::always_inline]] static void windows_apart(const float* __restrict g, const float* __restrict x,
                                                   float* __restrict d, int64_t n, int64_t width, int64_t kh,
                                                   int64_t kw, int64_t sw) {
    float largest[kBlock];
    int32_t winner[kBlock];
    for (int64_t j = 0; j < n; ++j) largest[j] = x[j * sw], winner[j] = 0;
    for (int64_t cell = 1; cell < kh * kw; ++cell) {
      const float* at = x + cell / kw * width + cell % kw;
      for (int64_t j = 0; j < n; ++j) {
        const float v = at[j * sw];
        const bool is_new = wins(v, largest[j]);
        largest[j] = is_new ? v : largest[j];
        winner[j] = is_new ? static_cast<int32_t>(cell) : winner[j];
      }
    }
    for (int64_t k = 0; k < kh; ++k)
      for (int64_t j = 0; j < n; ++j) {
        const float gradient = 0.f + g[j];
        for (int64_t l = 0; l < kw; ++l)
          d[k * width + j * sw + l] = winner[j] == static_cast<int32_t>(k * kw + l) ? gradient : 0.f;
      }
  }
  // Computes the gradient of a row of windows that may overlap.
  void windows_that_overlap(const float* g, const float* x, float* d) const {
    const WindowAxis &h = s_.axes[1], &w = s_.axes[2];
    for (int64_t j = 0; j < w.out; ++j) {
      int64_t best = j * w.stride;
      for (int64_t k = 0; k < h.kernel; ++k)
        for (int64_t l = 0; l < w.kernel; ++l) {
          const int64_t at = k * w.in + j * w.stride + l;
          best = wins(x[at], x[best]) ? at : best;
        }
      d[best] += g[j];
    }
  }

  PoolShape s_;
};

}  // namespace

void register_max_pool(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "max_pool", "max_pool.windows");
  add_kernel<Backward>(kernels, "max_pool_backward", "max_pool_backward.windows");
}

}  // namespace cutset::onednn
