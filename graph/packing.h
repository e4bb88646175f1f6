// Puts buffers with known lifetimes into one arena: two may share addresses only if they are never alive
// at once (dynamic storage allocation; NP-hard in general).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace cutset {

struct PackedBuffer {
  int64_t first = 0, last = 0;  // alive from `first` to `last`, both included
  uint64_t bytes = 0;
  uint64_t offset = 0;  // the result
};

struct Packing {
  uint64_t bytes = 0;        // of the arena
  uint64_t lower_bound = 0;  // the most bytes alive at once
};

// Offsets are multiples of `alignment`, a power of two. Fills from the bottom, the buffer that comes to rest
// lowest first (the best-fit skyline of strip packing: Burke, Kendall and Whitwell, "A new placement heuristic
// for the orthogonal stock-cutting problem", Operations Research 52, 2004); ties by area, by the fullest moment
// of a life and others. A second packing allocates and frees in the order of time (graph/time_packing.h). The
// smallest packing wins, and the search stops within 0.2 % of the lower bound. The skyline's work is bounded by a
// multiple of the number of buffers, so the whole takes O(n log n).
Packing pack_buffers(std::vector<PackedBuffer>& buffers, uint64_t alignment);

// A packing into `capacity` bytes. The result has no packing if none exists, if the search took more than `seconds`
// (then `timed_out`), or if it would hold more than 1 GiB or nest deeper than 2,000 placements (then
// `out_of_memory`). Exhaustive over canonical solutions, in which buffers are placed from the bottom up, each
// resting on another, after Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated
// Machine Learning", ASPLOS 2023: sections of time bound what is left, dominated placements are skipped, parts
// that no longer touch are solved apart.
struct ExactResult {
  std::optional<Packing> packing;
  bool timed_out = false;
  bool out_of_memory = false;
  uint64_t nodes = 0;
};
ExactResult pack_exactly(std::vector<PackedBuffer>& buffers, uint64_t alignment, uint64_t capacity, double seconds);

}  // namespace cutset
