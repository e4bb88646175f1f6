// SPDX-License-Identifier: Apache-2.0
// CRC-32C, the checksum of TFRecord files.
#pragma once
#include <cstdint>
#include <string_view>

namespace cutset {

// Returns the CRC of the bytes with the polynomial of Castagnoli, as iSCSI uses it (RFC 3720, section 12.1).
uint32_t crc32c(std::string_view bytes);

}  // namespace cutset
