// SPDX-License-Identifier: Apache-2.0
#include "ir/core/number_text.h"

#include <charconv>

namespace cutset {

std::string counted(size_t n, const std::string& thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

std::string shortest_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace cutset
