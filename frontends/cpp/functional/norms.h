// SPDX-License-Identifier: Apache-2.0
// The steps of p-norms, (sum of |element|^p)^(1/p). A norm has no derivative at 0. These functions have the
// gradient 0 there, as in PyTorch: the formula of the derivative would be 0 / 0, and one NaN would end the
// training of a whole network.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset {

// Returns |x|^p, for p > 0.
Tensor power_of_norm(const Tensor& x, double p, std::source_location source);
// Returns sums^(1/p), for sums of such powers.
Tensor root_of_norm(const Tensor& sums, double p, std::source_location source);

}  // namespace cutset
