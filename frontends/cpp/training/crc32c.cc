// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/crc32c.h"

#include <array>

namespace cutset {
namespace {

// Returns the CRC of each byte value.
constexpr std::array<uint32_t, 256> make_table() {
  constexpr uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41 with its bits in reverse order
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) ? crc >> 1 ^ kPolynomial : crc >> 1;
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

}  // namespace cutset
