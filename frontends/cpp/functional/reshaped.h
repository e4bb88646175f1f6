// SPDX-License-Identifier: Apache-2.0
// reshape() to sizes that may be 0.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset {

// Returns x in another shape with as many elements. The first sizes that stay are not part of the program, so
// the batch may have another size.
Tensor reshaped(const Tensor& x, Shape shape, std::source_location source);

}  // namespace cutset
