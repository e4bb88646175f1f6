// SPDX-License-Identifier: Apache-2.0
// Max-pooling as parallel loops. oneDNN's max-pooling is not used: its forward op turns NaN into a number,
// and its backward op needs a workspace that only its forward op makes.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::onednn {
namespace {

// Whether `v` takes the place of the largest element so far. The first NaN of a window is its maximum: the
// negation of `v <= largest` is true for a NaN, and `largest == largest` is false once a NaN was found.
[[gnu::always_inline]] inline bool wins(float v, float largest) {
  return !(v <= largest) & (largest == largest);
}

// The `outer` times `inner` elements whose maximum is computed. `outer_step` and `inner_step` are the
// distances between them.
struct Taps {
  int64_t outer, outer_step, inner, inner_step;
};

// Computes the largest elements at kWidth positions at a time as long as kWidth are left. They stay in
// registers until they are complete.
template <int64_t kWidth>
[[gnu::always_inline]] inline void largest_of(const float*& x, int64_t stride, float*& y, int64_t& n,
                                              const Taps& t) {
  for (; n >= kWidth; n -= kWidth, x += stride * kWidth, y += kWidth) {
    float best[kWidth];
    for (float& b : best) b = -std::numeric_limits<float>::infinity();
    for (int64_t o = 0; o < t.outer; ++o)
      for (int64_t i = 0; i < t.inner; ++i) {
        const float* from = x + o * t.outer_step + i * t.inner_step;
        for (int64_t j = 0; j < kWidth; ++j)
          best[j] = wins(from[j * stride], best[j]) ? from[j * stride] : best[j];
      }
    for (int64_t j = 0; j < kWidth; ++j) y[j] = best[j];
  }
}
// Computes the largest elements at n positions, whose first elements are `stride` apart. Lines are often
// shorter than two vectors, so the rest of a line is computed 4 positions at a time.
CUTSET_FOR_EACH_PROCESSOR
void largest(const float* x, int64_t stride, float* y, int64_t n, const Taps& t) {
  if (stride == 1) {
    largest_of<16>(x, 1, y, n, t);
    largest_of<4>(x, 1, y, n, t);
    largest_of<1>(x, 1, y, n, t);
  } else if (stride == 2) {
    largest_of<16>(x, 2, y, n, t);
    largest_of<4>(x, 2, y, n, t);
    largest_of<1>(x, 2, y, n, t);
  } else {
    largest_of<1>(x, stride, y, n, t);
  }
}

// The kernel takes a few rows of windows at a time. It finds the largest element of each column of a window,
// and then the largest of the columns of each window. The columns are in scratch memory of the thread,
// between padding of -infinity, which never replaces an element.
class Forward {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    return Forward(nullptr, p).scratch_bytes() * static_cast<uint64_t>(info.threads);
  }
  Forward(cutset_device, const abi::Problem& p)
      : s_(*pool_shape_of(p.attributes<PoolingAttrs>(), p.in_shape(0))) {
    const auto& [d, h, w] = s_.axes;
    constexpr int64_t kElements = 4096;  // elements of the columns, so that they stay in the cache
    line_ = reach(w);
    at_once_ = std::clamp<int64_t>(kElements / line_, 1, d.out * h.out);
    for (int64_t i = 0; i < d.out; ++i) depths_.push_back(taps_inside(d, i));
    for (int64_t i = 0; i < h.out; ++i) rows_.push_back(taps_inside(h, i));
  }
  // Returns the bytes of scratch memory that one thread needs.
  uint64_t scratch_bytes() const { return static_cast<uint64_t>(at_once_ * line_) * sizeof(float); }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto* images = static_cast<const float*>(abi::address(at.in[0]));
    auto* results = static_cast<float*>(abi::address(at.out[0]));
    const int64_t rows = s_.axes[0].out * s_.axes[1].out, bands = (rows + at_once_ - 1) / at_once_;
    const auto compute = [&](float* columns, int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t row = i % bands * at_once_;
        compute_rows(images + i / bands * s_.in(), row, std::min(rows, row + at_once_), columns,
                     results + (i / bands * rows + row) * s_.axes[2].out);
      }
    };
    constexpr int64_t kLeastElements = 16384;  // elements of all images, for more than one thread
    parallel_for_parts(queue, *at.scratch, at_once_ * line_, s_.planes() * bands,
                       s_.planes() * s_.in() < kLeastElements, compute);
  }

 private:
  // Computes rows of windows of the image x. y is the result of the first row.
  void compute_rows(const float* x, int64_t first_row, int64_t last_row, float* columns, float* y) const {
    const auto& [d, h, w] = s_.axes;
    for (int64_t row = first_row; row < last_row; ++row) {
      const int64_t of_depth = row / h.out, of_row = row % h.out;
      const Range depth = depths_[static_cast<size_t>(of_depth)], height = rows_[static_cast<size_t>(of_row)];
      float* to = columns + (row - first_row) * line_;
      std::fill_n(to, w.before, -std::numeric_limits<float>::infinity());
      std::fill(to + w.before + w.in, to + line_, -std::numeric_limits<float>::infinity());
      const int64_t first = covered(d, of_depth, depth.first) * h.in + covered(h, of_row, height.first);
      largest(x + first * w.in, 1, to + w.before, w.in,
              {depth.last - depth.first, d.dilation * h.in * w.in, height.last - height.first,
               h.dilation * w.in});
    }
    const Taps taps{1, 0, w.kernel, w.dilation};
    for (int64_t row = 0; row < last_row - first_row; ++row)
      largest(columns + row * line_, w.stride, y + row * w.out, w.out, taps);
  }

  PoolShape s_;
  std::vector<Range> depths_, rows_;  // by position along the axis: the taps that are inside the image
  int64_t line_ = 0, at_once_ = 0;    // the elements of a padded line, and the rows at a time
};

constexpr int64_t kWindows = 64;  // the largest number of windows that one call of winners_of compares

// Finds the first of the largest elements of each of n neighbouring windows. `winner` gets the place of this
// element relative to the first element of the window. A window has `height` rows of `width` elements. Rows
// of x are `line` elements apart, and windows are `stride` elements apart. n is at most kWindows.
CUTSET_FOR_EACH_PROCESSOR
void winners_of(const float* x, int64_t n, int64_t line, int64_t height, int64_t width, int64_t stride,
                int32_t* winner) {
  float largest[kWindows];
  for (int64_t j = 0; j < n; ++j) {
    largest[j] = x[j * stride];
    winner[j] = 0;
  }
  for (int64_t k = 0; k < height; ++k)
    for (int64_t l = k == 0 ? 1 : 0; l < width; ++l) {
      const auto place = static_cast<int32_t>(k * line + l);
      const auto compare = [&](int64_t step) __attribute__((always_inline)) {
        for (int64_t j = 0; j < n; ++j) {
          const float v = x[place + j * step];
          const bool is_new = wins(v, largest[j]);
          largest[j] = is_new ? v : largest[j];
          winner[j] = is_new ? place : winner[j];
        }
      };
      if (stride == 1)
        compare(1);
      else if (stride == 2)
        compare(2);
      else
        compare(stride);
    }
}

class Backward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    const PoolShape s = *pool_shape_of(p.attributes<PoolingBackwardAttrs>(), p.in_shape(1));
    for (const WindowAxis& axis : s.axes)
      if (axis.dilation > 1) return "the kernel supports only windows without dilation";
    const auto& [d, h, w] = s.axes;
    if ((h.kernel - 1) * w.in > std::numeric_limits<int32_t>::max() - w.kernel)
      return "the kernel supports only windows whose rows span fewer than 2^31 elements";
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
      // `apart`: all windows are inside the image, and no two share an element. `tiled`: moreover, every
      // element is in a window.
      const auto is_inside = [](const WindowAxis& axis) {
        return !axis.before && (axis.out - 1) * axis.stride + axis.kernel <= axis.in;
      };
      const bool apart = is_inside(h) && is_inside(w) && h.stride >= h.kernel && w.stride >= w.kernel;
      const bool tiled = apart && h.stride == h.kernel && w.stride == w.kernel && h.out * h.stride == h.in &&
                         w.out * w.stride == w.in;
      if (!tiled)
        std::memset(results + first * h.in * w.in, 0,
                    static_cast<size_t>((last - first) * h.in * w.in) * sizeof(float));
      for (int64_t line = first * h.out; line < last * h.out; ++line) {
        if (!apart) {
          const int64_t plane = line / h.out * h.in * w.in;
          windows_that_overlap(gradients + line * w.out, images + plane, results + plane, line % h.out);
          continue;
        }
        const int64_t corner = (line / h.out * h.in + line % h.out * h.stride) * w.in;
        for (int64_t j = 0; j < w.out; j += kWindows) {
          const float *g = gradients + line * w.out + j, *x = images + corner + j * w.stride;
          float* to = results + corner + j * w.stride;
          const int64_t n = std::min(kWindows, w.out - j);
          if (tiled && h.kernel == 2 && w.kernel == 2)
            windows_apart(g, x, to, n, w.in, 2, 2, 2);  // the most frequent case
          else
            windows_apart(g, x, to, n, w.in, h.kernel, w.kernel, w.stride);
        }
      }
    });
  }

 private:
  // Computes the gradient of `n` neighbouring windows that do not overlap. A window has kh x kw elements, and
  // the next window begins `sw` elements later. A row has `width` elements. Each element of a window is
  // written once, so no gradients are summed. A gradient is still added to 0, because the reference kernel
  // does so: this addition turns -0 into 0. The function is inlined: where the caller passes constants, the
  // compiler then makes vector code of the loop that writes.
  [[gnu::always_inline]] static void windows_apart(const float* __restrict g, const float* __restrict x,
                                                   float* __restrict d, int64_t n, int64_t width, int64_t kh,
                                                   int64_t kw, int64_t sw) {
    int32_t winner[kWindows];
    winners_of(x, n, width, kh, kw, sw, winner);
    for (int64_t k = 0; k < kh; ++k)
      for (int64_t j = 0; j < n; ++j) {
        const float gradient = 0.f + g[j];
        for (int64_t l = 0; l < kw; ++l)
          d[k * width + j * sw + l] = winner[j] == static_cast<int32_t>(k * width + l) ? gradient : 0.f;
      }
  }
  // Computes the gradient of row `row` of windows that may overlap and be partly outside. x and d are the
  // plane and its gradient. Gradients are added in the order of the windows, as in the reference kernel. Each
  // window has at least one element of the image, because dilated windows are not supported.
  void windows_that_overlap(const float* g, const float* x, float* d, int64_t row) const {
    const WindowAxis &h = s_.axes[1], &w = s_.axes[2];
    const Range rows = taps_inside(h, row);
    const int64_t height = rows.last - rows.first, above = covered(h, row, rows.first) * w.in;
    // The windows [begin, end) are between the left and the right border.
    const int64_t begin = std::min(w.out, (w.before + w.stride - 1) / w.stride);
    const int64_t fits = w.in + w.before - w.kernel;
    const int64_t end = std::max(begin, fits < 0 ? 0 : std::min(w.out, fits / w.stride + 1));
    const auto at_border = [&](int64_t j) {
      const Range columns = taps_inside(w, j);
      const int64_t corner = above + covered(w, j, columns.first);
      int32_t winner;
      winners_of(x + corner, 1, w.in, height, columns.last - columns.first, 1, &winner);
      d[corner + winner] += g[j];
    };
    for (int64_t j = 0; j < begin; ++j) at_border(j);
    for (int64_t j = begin; j < end; j += kWindows) {
      const int64_t n = std::min(kWindows, end - j), corner = above + covered(w, j, 0);
      int32_t winner[kWindows];
      winners_of(x + corner, n, w.in, height, w.kernel, w.stride, winner);
      for (int64_t i = 0; i < n; ++i) d[corner + i * w.stride + winner[i]] += g[j + i];
    }
    for (int64_t j = end; j < w.out; ++j) at_border(j);
  }

  PoolShape s_;
};

}  // namespace

void register_max_pool(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "max_pool", "max_pool.windows");
  add_kernel<Backward>(kernels, "max_pool_backward", "max_pool_backward.windows");
}

}  // namespace cutset::onednn
