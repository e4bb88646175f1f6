// Computes the happens-before relation of the instructions of a function, which follows from the order within queues,
// events, transfers and all-reduces, and finds the pairs of instructions that access the same memory. It is a simple
// O(n^3) algorithm, independent of the one in runtime/program/check/memory.cc.
#pragma once
#include <set>
#include <vector>

#include "runtime/program/program.h"

namespace cutset::testing {

class HappensBefore {
 public:
  explicit HappensBefore(const Function& function);

  // Pairs of instructions that access the same bytes of a device, of which at least one writes them. ordered() holds
  // those that the relation orders, the earlier instruction first, and unordered() the others. Instructions are
  // numbered without counting waits, so that the numbers stay the same when a wait is removed.
  using Pairs = std::set<std::pair<size_t, size_t>>;
  const Pairs& ordered() const { return ordered_; }
  const Pairs& unordered() const { return unordered_; }

 private:
  Pairs ordered_, unordered_;
};

}  // namespace cutset::testing
