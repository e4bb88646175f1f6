// SPDX-License-Identifier: Apache-2.0
// Packs buffers as a best-fit allocator would: the buffers are allocated and freed in the order of time, or
// in the reverse order.
//
// Problem: the packing problem of graph/packing/buffer_packing.h.
// Method: best fit. A buffer gets the smallest hole that holds it, or else the bytes above all buffers in
//   use. Of buffers that begin at the same time, the buffer that lives longest is allocated first. The result
//   is optimal if the lifetimes nest (the buffer that is allocated last is freed first), as the lifetimes of
//   the activations of a training step do. In reverse order, the gradients that live until the end of the
//   step are allocated first, without holes, and smaller activations fill the bytes that the gradients do not
//   use yet.
// Source: Knuth, "The Art of Computer Programming", volume 1, section 2.5, for best fit.
// Complexity: O(n log n) for n buffers, whatever their lifetimes are.
// Failure: none.
#pragma once
#include "graph/packing/live_ranges.h"

namespace cutset {

enum class Direction { kForward, kReverse };

// Returns the offset of each item of `ranges`. Offsets are multiples of the alignment to which the sizes were
// rounded up.
std::vector<int64_t> place_in_order_of_time(const LiveRanges& ranges, Direction direction);

}  // namespace cutset
