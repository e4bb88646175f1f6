// SPDX-License-Identifier: Apache-2.0
// Checks of the operands of poolings.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace cutset {

// Returns the axes of an image. Throws an Error of `function` if x is no batch of images.
std::vector<int64_t> image_axes(const Tensor& x, const char* function, std::source_location source);
// Throws an Error of `function` if p is not a finite positive number.
void require_power(double p, const char* function, std::source_location source);

}  // namespace cutset
