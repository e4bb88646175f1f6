// SPDX-License-Identifier: Apache-2.0
// Copies a tensor that is read with given strides, for transpose and expand.
#pragma once
#include "backends/portable/launches.h"
#include "ir/core/tensor_view.h"

namespace cutset::portable {

// Appends a launch that sets each element of y, which has the shape `shape`, to an element of x. `strides`
// are the strides of x along the dimensions of `shape`. Elements have `bytes` bytes.
void add_strided_copy(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes,
                      Argument x, Argument y);

}  // namespace cutset::portable
