// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of fractions of a turn, for spectra and windows.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset {

// The cosine and the sine of 2 pi steps / n.
struct Turns {
  Tensor cosine, sine;
};
// Returns the cosines and sines of `steps`, i64 from 0 to n - 1, where n is at most 2^30. The results have
// the shape of the steps and the type `type`. If n is at most 1024, they are gathered from constants that are
// computed in f64 and rounded once. Otherwise they are products of two or three such values, and each product
// rounds.
Turns turns_of(const Tensor& steps, int64_t n, DType type, std::source_location source);

}  // namespace cutset
