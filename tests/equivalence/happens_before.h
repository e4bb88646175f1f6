// Which instructions of a function run before which, by the order of queues, events, transfers and sums; and which of
// them use the same memory.
#pragma once
#include <set>
#include <vector>

#include "runtime/program.h"

namespace cutset::testing {

class HappensBefore {
 public:
  explicit HappensBefore(const Function& function);

  // Pairs (writer and reader, or two writers) of the same bytes of a device, each in the order in which they run,
  // as numbers of instructions that do not depend on waits. A pair without an order is in neither list.
  using Pairs = std::set<std::pair<size_t, size_t>>;
  const Pairs& ordered() const { return ordered_; }
  const Pairs& unordered() const { return unordered_; }

 private:
  Pairs ordered_, unordered_;
};

}  // namespace cutset::testing
