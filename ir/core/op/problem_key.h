// SPDX-License-Identifier: Apache-2.0
// The key of tables with one entry per kernel and problem, such as the scratch memory of a kernel. Large
// graphs contain the same problem many times.
#pragma once
#include <cstddef>

#include "ir/core/attributes.h"
#include "ir/core/types.h"

namespace cutset {

struct ProblemKey {
  const void* kernel;  // compared by its address
  Attributes attributes;
  Types in, out;  // the types of the operands and results
  // Numbers are compared by their bits: 0.0 and -0.0 are different problems.
  bool operator==(const ProblemKey& other) const;
};

// Hashes keys for std::unordered_map.
struct ProblemHash {
  size_t operator()(const ProblemKey& key) const;
};

}  // namespace cutset
