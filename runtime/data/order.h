// SPDX-License-Identifier: Apache-2.0
// Reads the order in which samples are used from a text file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// Returns the sample numbers in the file. They are decimal and separated by blanks or line ends. Fails,
// naming the byte, on any other text, and on a file without a number. Does not check that the samples exist.
Result<std::vector<int64_t>> read_order(const std::string& path);

}  // namespace cutset
