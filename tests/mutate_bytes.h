// SPDX-License-Identifier: Apache-2.0
// Changes bytes of a file, for tests of decoders.
#pragma once
#include <algorithm>
#include <string>

#include "ir/core/philox.h"

namespace cutset::testing {

// Returns a copy of `bytes` with one to four changes: a byte is replaced or one of its bits is inverted, or
// bytes are removed, repeated or cut off at the end.
inline std::string mutated(std::string bytes, PhiloxSequence& random) {
  for (uint64_t changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
    const size_t at = random.below(bytes.size());
    switch (random.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes.erase(at, 1 + random.below(12));
        break;
      case 2:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(40)));
        break;
      case 3:
        bytes.resize(bytes.size() - random.below(std::min<size_t>(bytes.size(), 8)));
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
    }
  }
  return bytes;
}

}  // namespace cutset::testing
