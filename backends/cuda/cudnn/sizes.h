// SPDX-License-Identifier: Apache-2.0
// The sizes of a convolution of plans.h.
#pragma once
#include <string>

#include "backends/cuda/cudnn/plans.h"

namespace cutset::cuda {

// Returns an empty text if the sizes describe a convolution and fit into 64-bit arithmetic, or else the
// reason.
std::string check_sizes(const Convolution& c);

// Return the number of elements of x, of the filter and of y. The sizes must have passed check_sizes.
inline int64_t image_elements(const Convolution& c) { return c.n * c.c * product(c.axes, &WindowAxis::in); }
inline int64_t filter_elements(const Convolution& c) {
  return c.o * c.cg * product(c.axes, &WindowAxis::kernel);
}
inline int64_t result_elements(const Convolution& c) { return c.n * c.o * product(c.axes, &WindowAxis::out); }

}  // namespace cutset::cuda
