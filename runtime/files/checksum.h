// SPDX-License-Identifier: Apache-2.0
// CRC-32 checksums, by which damage of a file is found. They do not protect against a change on purpose.
#pragma once
#include <cstdint>
#include <string_view>

namespace cutset {

// Returns the CRC-32 of zlib and PNG of the bytes before, which have the checksum `before`, followed by
// `bytes`. The checksum of no bytes is 0.
uint32_t checksum(std::string_view bytes, uint32_t before = 0);

}  // namespace cutset
