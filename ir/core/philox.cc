// SPDX-License-Identifier: Apache-2.0
#include "ir/core/philox.h"

#include <Random123/philox.h>

namespace cutset {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t block) {
  r123::Philox4x32::ctr_type counter = {{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                                         static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)}};
  r123::Philox4x32::key_type key = {{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
  auto r = r123::Philox4x32()(counter, key);
  return {r[0], r[1], r[2], r[3]};
}

}  // namespace cutset
