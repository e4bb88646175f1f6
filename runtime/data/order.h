// The order of samples that a file gives.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// Sample numbers as text, one a line or separated by blanks. Anything else in the file, and a file without a number,
// is an error that names the place.
Result<std::vector<int64_t>> read_order(const std::string& path);

}  // namespace cutset
