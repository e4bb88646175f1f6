// SPDX-License-Identifier: Apache-2.0
// Computes CRC-32 checksums, which find damage of a file. They do not protect against a change on purpose.
#pragma once
#include <cstdint>
#include <string_view>

namespace cutset {

// Returns the CRC-32, as in zlib and PNG, of bytes with the checksum `before` followed by `bytes`. The
// checksum of no bytes is 0.
uint32_t checksum(std::string_view bytes, uint32_t before = 0);

}  // namespace cutset
