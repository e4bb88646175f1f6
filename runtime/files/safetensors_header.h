// SPDX-License-Identifier: Apache-2.0
// Parses the JSON header of a safetensors file, which gives the type, shape and position of each tensor. The
// text is untrusted, so every value in it is checked.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct SafetensorsEntry {
  std::string name;
  TensorType type;
  uint64_t begin = 0, end = 0;  // the range of its bytes, counted from the end of the header
};
struct SafetensorsHeader {
  std::vector<SafetensorsEntry>
      entries;  // the entries in the order of their data; each begins at the end of the previous entry
  std::map<std::string, std::string> metadata;  // the member "__metadata__"
};

// Parses the header. Fails on names that occur twice, on ranges that overlap, leave holes or differ from the
// size of their tensor, on unknown members, and on nested metadata.
//
// The parser stops at the first value that a header must not have, so its memory is bounded by the number of
// tensors, and not by the length of the text.
Result<SafetensorsHeader> read_safetensors_header(std::string_view text);

// Returns the format's name of an element type, or null if the format does not have the type.
const char* safetensors_name(DType type);

}  // namespace cutset
