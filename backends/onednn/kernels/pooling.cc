// Max-pooling as parallel loops. oneDNN's max-pooling is not used: its forward op turns NaN into a number, and its
// backward op needs a workspace that only its forward op makes.
#include <algorithm>
#include <cstring>

#include "backends/onednn/primitive.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::onednn {
namespace {

// Only problems without padding are supported: every window is then inside the image, and the loops need no branch.
std::string whole_windows(const abi::Problem& p, cutset_i64s padding) {
  if (padding.data[0] || padding.data[1]) return "the kernel supports only problems without padding";
  return p.only_f32();
}

// Whether `v` takes the place of the largest element so far. The first NaN of a window is its maximum: the negation of
// `v <= largest` is true for a NaN, and `largest == largest` is false once a NaN was found.
bool wins(float v, float largest) { return !(v <= largest) & (largest == largest); }

class Forward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    return whole_windows(p, p.attributes<PoolingAttrs>().padding);
  }
  Forward(cutset_device, const abi::Problem& p)
      : s_(*pool_shape(p.in_shape(0), p.attributes<PoolingAttrs>().kernel, p.attributes<PoolingAttrs>().stride,
                       p.attributes<PoolingAttrs>().padding)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* images = static_cast<const float*>(abi::address(at.in[0]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    parallel_for(queue, s_.planes * s_.oh, [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line) {
        const float* x = images + (line / s_.oh * s_.h + line % s_.oh * s_.sh) * s_.w;
        float* y = results + line * s_.ow;
        for (int64_t j = 0; j < s_.ow; ++j) y[j] = x[j * s_.sw];
        for (int64_t k = 0; k < s_.kh; ++k)
          for (int64_t l = 0; l < s_.kw; ++l)
            for (int64_t j = 0; j < s_.ow; ++j) {
              const float v = x[k * s_.w + j * s_.sw + l];
              y[j] = wins(v, y[j]) ? v : y[j];
            }
      }
    });
  }

 private:
  PoolShape s_;
};

class Backward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    return whole_windows(p, p.attributes<PoolingBackwardAttrs>().padding);
  }
  Backward(cutset_device, const abi::Problem& p)
      : s_(*pool_shape(p.in_shape(1), p.attributes<PoolingBackwardAttrs>().kernel,
                       p.attributes<PoolingBackwardAttrs>().stride, p.attributes<PoolingBackwardAttrs>().padding)) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* gradients = static_cast<const float*>(abi::address(at.in[0]));
    const auto* images = static_cast<const float*>(abi::address(at.in[1]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    parallel_for(queue, s_.planes, [&](int64_t first, int64_t last) {
      // `apart`: no two windows share an element. `covered`: moreover, every element is in a window.
      const bool apart = s_.sh >= s_.kh && s_.sw >= s_.kw;
      const bool covered = s_.sh == s_.kh && s_.sw == s_.kw && s_.oh * s_.sh == s_.h && s_.ow * s_.sw == s_.w;
      if (!covered)
        std::memset(results + first * s_.h * s_.w, 0,
                    static_cast<size_t>((last - first) * s_.h * s_.w) * sizeof(float));
      for (int64_t line = first * s_.oh; line < last * s_.oh; ++line) {
        const int64_t corner = (line / s_.oh * s_.h + line % s_.oh * s_.sh) * s_.w;
        if (!apart) {
          windows_that_overlap(gradients + line * s_.ow, images + corner, results + corner);
          continue;
        }
        for (int64_t j = 0; j < s_.ow; j += kBlock) {
          const float *g = gradients + line * s_.ow + j, *x = images + corner + j * s_.sw;
          float* d = results + corner + j * s_.sw;
          const int64_t n = std::min(kBlock, s_.ow - j);
          if (covered && s_.kh == 2 && s_.kw == 2)
            windows_apart(g, x, d, n, s_.w, 2, 2, 2);  // by far the most frequent case
          else
            windows_apart(g, x, d, n, s_.w, s_.kh, s_.kw, s_.sw);
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
    for (int64_t j = 0; j < s_.ow; ++j) {
      int64_t best = j * s_.sw;
      for (int64_t k = 0; k < s_.kh; ++k)
        for (int64_t l = 0; l < s_.kw; ++l) {
          const int64_t at = k * s_.w + j * s_.sw + l;
          best = wins(x[at], x[best]) ? at : best;
        }
      d[best] += g[j];
    }
  }

  PoolShape s_;
};

}  // namespace

void register_pooling(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "max_pool2d", "max_pool2d.windows");
  add_kernel<Backward>(kernels, "max_pool2d_backward", "max_pool2d_backward.windows");
}

}  // namespace cutset::onednn
