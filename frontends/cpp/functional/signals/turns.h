// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of fractions of a turn, for spectra and windows.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset {

// cos and sin of 2 pi steps / n.
struct Turns {
  Tensor cosine, sine;
};
// `steps` are of i64, from 0 to n - 1, and n is at most 2^30. The results have the shape of the steps and the
// type `type`. They are gathered from constants that are computed in f64 and rounded once if n is at most
// 1024. Above, they are products of two or three of these, and each product rounds.
Turns turns_of(const Tensor& steps, int64_t n, DType type, std::source_location source);

}  // namespace cutset
