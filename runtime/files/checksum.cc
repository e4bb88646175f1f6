// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/checksum.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>

namespace cutset {

uint32_t checksum(std::string_view bytes, uint32_t before) {
  constexpr size_t kMost = size_t{1} << 30;  // zlib takes a length of 32 bits
  uLong sum = before;
  for (size_t at = 0; at < bytes.size();) {
    const size_t n = std::min(bytes.size() - at, kMost);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(n));
    at += n;
  }
  return static_cast<uint32_t>(sum);
}

}  // namespace cutset
