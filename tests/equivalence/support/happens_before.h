// SPDX-License-Identifier: Apache-2.0
// Computes the happens-before relation of the instructions of a function. The relation follows from the order
// in each queue, from events, from transfers and from all-reduces. Also finds the pairs of instructions that
// access the same memory. The simple algorithm takes O(n^3) time and is independent of the algorithm in
// runtime/program/check/memory.cc.
#pragma once
#include <set>
#include <vector>

#include "runtime/program/program.h"

namespace cutset::testing {

class HappensBefore {
 public:
  // With `messages`, transfers between devices and all-reduces also order instructions. Without `messages`,
  // the relation follows from the queues and events of each device only.
  explicit HappensBefore(const Function& function, bool messages = true);

  // Pairs of instructions that access the same bytes of a device. At least one of the two instructions writes
  // them. ordered() holds the pairs that the relation orders, the earlier instruction first, and unordered()
  // holds the other pairs. Instructions are numbered without counting waits, so that the numbers stay the
  // same when a wait is removed.
  using Pairs = std::set<std::pair<size_t, size_t>>;
  const Pairs& ordered() const { return ordered_; }
  const Pairs& unordered() const { return unordered_; }
  // Returns the number of pairs of instructions, waits excluded, that the relation orders, whether they
  // access memory or not.
  size_t related() const { return related_; }

 private:
  Pairs ordered_, unordered_;
  size_t related_ = 0;
};

}  // namespace cutset::testing
