// The header of a safetensors file: which tensor lies where. Nothing in it is believed that is not checked.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/types.h"

namespace cutset {

struct SafetensorsEntry {
  std::string name;
  TensorType type;
  uint64_t begin = 0, end = 0;  // bytes, from the end of the header
};
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        // by position; the first begins at 0, each at the end of the last
  std::map<std::string, std::string> metadata;  // "__metadata__"
};

// Memory grows with the tensors that are named, not with the text: a value that has no business in a header ends the
// reading where it stands. Names that come twice, ranges that overlap, leave holes or are not of the size of their
// tensor, unknown members and nested metadata are errors.
Result<SafetensorsHeader> read_safetensors_header(std::string_view text);

// The format's name of an element type; null where it has none.
const char* safetensors_name(DType type);

}  // namespace cutset
