// SPDX-License-Identifier: Apache-2.0
// A hash of text that is the same on every machine and in every process.
#pragma once
#include <cstdint>
#include <string_view>

namespace cutset {

// Returns the 64-bit FNV-1a hash of the bytes (Fowler, Noll and Vo, RFC 9923). Streams of random numbers,
// checkpoints and cached files depend on its values, so they never change. The hash does not protect against
// texts that are made to collide.
constexpr uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace cutset
