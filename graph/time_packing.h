// Packs buffers as an allocator would that sees them come and go: in the order of time, each into the smallest hole
// that holds it, and else on top.
//
// It takes O(n log n) whatever the lifetimes are, and it finds the optimum where lives nest (what is allocated last
// is freed first), as the activations of a training step do.
#pragma once
#include "graph/lifetimes.h"

namespace cutset {

// The offset of each item of `lives`, a multiple of the alignment that its sizes were rounded up to.
std::vector<int64_t> place_in_order_of_time(const Lifetimes& lives);

}  // namespace cutset
