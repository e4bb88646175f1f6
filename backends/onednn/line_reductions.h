// SPDX-License-Identifier: Apache-2.0
// Sums and largest elements of lines of floats, as loops that the compiler turns into vector instructions.
#pragma once
#include <cstdint>

namespace cutset::onednn {

// Element i is added to lane i % kSumLanes of its block, so that the compiler adds vectors. The lanes of a
// block are then added in order to the sum, which is f64. Long lines therefore lose no accuracy if the lanes
// are f32.
inline constexpr int64_t kSumLanes = 16, kSumBlock = 1024;

// Returns the sum of element(0) to element(n - 1). `Lane` is f64 where summands may cancel, and otherwise
// f32.
template <class Lane, class F>
[[gnu::always_inline]] inline double sum_of(int64_t n, F&& element) {
  double sum = 0;
  for (int64_t first = 0; first < n; first += kSumBlock) {
    const int64_t last = first + kSumBlock < n ? first + kSumBlock : n,
                  vectors_end = first + (last - first) / kSumLanes * kSumLanes;
    Lane lanes[kSumLanes] = {};
    for (int64_t j = first; j < vectors_end; j += kSumLanes)
      for (int64_t k = 0; k < kSumLanes; ++k) lanes[k] += element(j + k);
    for (int64_t j = vectors_end; j < last; ++j) lanes[j - vectors_end] += element(j);
    for (const Lane lane : lanes) sum += lane;
  }
  return sum;
}

// Returns the largest element of a line that is not empty. If an element is NaN, the result is any element.
[[gnu::always_inline]] inline float largest_of(const float* x, int64_t n) {
  float lanes[kSumLanes];
  for (float& lane : lanes) lane = x[0];
  const int64_t vectors_end = n / kSumLanes * kSumLanes;
  for (int64_t j = 0; j < vectors_end; j += kSumLanes)
    for (int64_t k = 0; k < kSumLanes; ++k) lanes[k] = x[j + k] > lanes[k] ? x[j + k] : lanes[k];
  float best = x[0];
  for (const float lane : lanes) best = lane > best ? lane : best;
  for (int64_t j = vectors_end; j < n; ++j) best = x[j] > best ? x[j] : best;
  return best;
}

}  // namespace cutset::onednn
