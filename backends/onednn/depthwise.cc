// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/depthwise.h"

#include <algorithm>
#include <cmath>

#include "backends/onednn/for_each_processor.h"

namespace cutset::onednn {
namespace {

// One channel of the filter.
struct Filter {
  const float* weights;
  float bias;
  bool relu;
  float result(float sum) const { return relu && sum < 0 ? 0 : sum; }
};

// Neighbouring positions of the window. x is the first element that the first position covers. The lines of x
// have `line` elements.
struct Run {
  const float* x;
  int64_t line;
  float* y;
  int64_t count;
};

// Computes kWidth positions of a run at a time as long as kWidth are left. Their sums stay in registers.
template <int64_t kWidth, int64_t kStride>
[[gnu::always_inline]] inline void convolve_vectors(Run& run, const Filter& f, const WindowAxis& rows,
                                                    const WindowAxis& columns) {
  for (; run.count >= kWidth; run.count -= kWidth, run.x += kStride * kWidth, run.y += kWidth) {
    float sums[kWidth];
    for (float& sum : sums) sum = f.bias;
    const float* w = f.weights;
    for (int64_t k = 0; k < rows.kernel; ++k)
      for (int64_t l = 0; l < columns.kernel; ++l, ++w) {
        const float* x = run.x + k * rows.dilation * run.line + l * columns.dilation;
        for (int64_t i = 0; i < kWidth; ++i) sums[i] += *w * x[kStride * i];
      }
    for (int64_t i = 0; i < kWidth; ++i) run.y[i] = f.result(sums[i]);
  }
}
template <int64_t kStride>
[[gnu::always_inline]] inline void convolve_run(Run run, const Filter& f, const WindowAxis& rows,
                                                const WindowAxis& columns) {
  convolve_vectors<32, kStride>(run, f, rows, columns);
  convolve_vectors<16, kStride>(run, f, rows, columns);
  convolve_vectors<4, kStride>(run, f, rows, columns);
  convolve_vectors<1, kStride>(run, f, rows, columns);
}

// Convolves one padded channel. `lines` is memory for the result, with lines as long as the lines of x. With
// strides of 1, all lines may be computed as one run, which also computes meaningless elements between the
// results of two lines. One run is faster if at least half of its elements are results.
CUTSET_FOR_EACH_PROCESSOR
void convolve(const float* x, const Filter& f, float* lines, float* y, const WindowAxis& rows,
              const WindowAxis& columns) {
  const int64_t line = columns.padded(), n = columns.out;
  if (rows.stride == 1 && columns.stride == 1 && 2 * n >= line) {
    convolve_run<1>({x, line, lines, (rows.out - 1) * line + n}, f, rows, columns);
    for (int64_t row = 0; row < rows.out; ++row) std::copy_n(lines + row * line, n, y + row * n);
    return;
  }
  for (int64_t row = 0; row < rows.out; ++row) {
    const Run run{x + row * rows.stride * line, line, y + row * n, n};
    if (columns.stride == 1)
      convolve_run<1>(run, f, rows, columns);
    else
      convolve_run<2>(run, f, rows, columns);
  }
}

// Copies a channel into its padded form.
void pad(const float* x, float* to, const WindowAxis& rows, const WindowAxis& columns) {
  const int64_t line = columns.padded();
  to = std::fill_n(to, rows.before * line, 0.0f);
  for (int64_t row = 0; row < rows.in; ++row, x += columns.in) {
    to = std::fill_n(to, columns.before, 0.0f);
    to = std::copy_n(x, columns.in, to);
    to = std::fill_n(to, columns.after, 0.0f);
  }
  std::fill_n(to, rows.after * line, 0.0f);
}

// Computes the same result without the taps in the padding. They matter if a weight is infinite or NaN,
// because its product with a zero of the padding is NaN.
void convolve_slowly(const float* x, const Filter& f, float* y, const WindowAxis& rows,
                     const WindowAxis& columns) {
  for (int64_t row = 0; row < rows.out; ++row)
    for (int64_t column = 0; column < columns.out; ++column) {
      const Range of_rows = taps_inside(rows, row), of_columns = taps_inside(columns, column);
      float sum = f.bias;
      for (int64_t k = of_rows.first; k < of_rows.last; ++k)
        for (int64_t l = of_columns.first; l < of_columns.last; ++l)
          sum += f.weights[k * columns.kernel + l] *
                 x[covered(rows, row, k) * columns.in + covered(columns, column, l)];
      *y++ = f.result(sum);
    }
}

}  // namespace

bool Depthwise::fits(const ConvShape& s) {
  constexpr int64_t kLargest = 1 << 18;  // the most elements of a padded channel
  return s.cg == 1 && s.og == 1 && s.rank < 3 && s.axes[2].stride <= 2 &&
         s.axes[1].padded() <= kLargest / s.axes[2].padded();
}

int64_t Depthwise::scratch_elements() const {
  constexpr int64_t kLine = 16;
  const auto& [depth, rows, columns] = s_.axes;
  const int64_t elements = (rows.padded() + rows.out) * columns.padded();
  return (elements + kLine - 1) / kLine * kLine;
}

void Depthwise::enqueue(cutset_queue queue, const abi::Operands& at) {
  constexpr int64_t kLeastProducts = 1 << 17;  // with fewer products in all channels, one thread computes
  const auto* x = static_cast<const float*>(abi::address(at.in[0]));
  const auto* filter = static_cast<const float*>(abi::address(at.in[1]));
  const auto* bias = biased_ ? static_cast<const float*>(abi::address(at.in[2])) : nullptr;
  auto* y = static_cast<float*>(abi::address(at.out[0]));
  const auto& [depth, rows, columns] = s_.axes;
  const int64_t channels = s_.n * s_.c, taps = s_.taps();
  const auto compute = [&](float* image, int64_t first, int64_t last) {
    float* const lines = image + rows.padded() * columns.padded();
    for (int64_t i = first; i < last; ++i) {
      const float* from = x + i * s_.in();
      const Filter f{filter + i % s_.c * taps, bias ? bias[i % s_.c] : 0, relu_};
      if (std::all_of(f.weights, f.weights + taps, [](float w) { return std::isfinite(w); })) {
        pad(from, image, rows, columns);
        convolve(image, f, lines, y + i * s_.out(), rows, columns);
      } else {
        convolve_slowly(from, f, y + i * s_.out(), rows, columns);
      }
    }
  };
  parallel_for_parts(queue, *at.scratch, scratch_elements(), channels,
                     channels * s_.out() * taps < kLeastProducts, compute);
}

}  // namespace cutset::onednn
