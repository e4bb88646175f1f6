// SPDX-License-Identifier: Apache-2.0
// The parts of an exact packing problem that have no solution (graph/packing/buffer_packing_exact.cc).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/packing/item_groups.h"

namespace cutset {

// A set of items, as bits.
class ItemSet {
 public:
  explicit ItemSet(size_t items) : words_((items + 63) / 64, 0) {}
  bool has(int item) const { return words_[size_t(item) / 64] >> (size_t(item) % 64) & 1; }
  void add(int item) { words_[size_t(item) / 64] |= uint64_t{1} << (size_t(item) % 64); }
  void add(const ItemSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

 private:
  std::vector<uint64_t> words_;
};

// The groups of items for which no packing exists, each with the items that the failure depends on. A later
// group replaces the earlier group in the slot that its hash selects, so the memory is bounded. Two different
// groups have the same 64-bit hash with a probability of 2^-64 per look-up.
class FailedGroups {
 public:
  // The table has fewer slots for more items, so that all conflicts together take at most kMostBytes.
  explicit FailedGroups(size_t items)
      : slots_(std::clamp<size_t>(kMostBytes / (items / 8 + 64), 1, kSlots), 0),
        conflicts_(slots_.size(), ItemSet(0)) {}
  static uint64_t hash(const ItemGroup& group) {
    uint64_t sum = 1;
    for (const Waiting& w : group.waiting)
      sum += mixed(mixed(static_cast<uint64_t>(w.at)) + uint64_t(w.item) + 1);
    return sum;
  }
  const ItemSet* find(uint64_t hash) const {
    const size_t slot = hash % slots_.size();
    return slots_[slot] == hash ? &conflicts_[slot] : nullptr;
  }
  void add(uint64_t hash, const ItemSet& conflict) {
    const size_t slot = hash % slots_.size();
    slots_[slot] = hash;
    conflicts_[slot] = conflict;
  }

 private:
  static constexpr size_t kSlots = size_t{1} << 14, kMostBytes = size_t{1} << 28;
  // Returns the bits mixed by the finalizer of MurmurHash3 by Austin Appleby.
  static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
  }
  std::vector<uint64_t> slots_;
  std::vector<ItemSet> conflicts_;
};

}  // namespace cutset
