// SPDX-License-Identifier: Apache-2.0
// Converts numbers to text for people.
#pragma once
#include <cstddef>
#include <string>

namespace cutset {

// Returns, for example, "1 device" or "2 devices".
std::string counted(size_t n, const std::string& thing);
// Returns the shortest text that is read as the same number again: "0.1".
std::string shortest_text(double number);

}  // namespace cutset
