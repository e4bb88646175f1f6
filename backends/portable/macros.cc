// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/macros.h"

namespace cutset::portable {

std::string definitions(const Macros& macros) {
  std::string text;
  for (const auto& [name, meaning] : macros) text += "#define " + name + " " + meaning + "\n";
  return text;
}

std::string ends_of_definitions(const Macros& macros) {
  std::string text;
  for (const auto& [name, meaning] : macros) text += "#undef " + name.substr(0, name.find('(')) + "\n";
  return text;
}

}  // namespace cutset::portable
