// SPDX-License-Identifier: Apache-2.0
// Macros of kernel sources.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace cutset::portable {

// Macros as pairs of a name and its replacement, such as {{"T", "float"}, {"LOAD(v)", "float_of_f16(v)"}}.
using Macros = std::vector<std::pair<std::string, std::string>>;
// Return the lines that define the macros, and the lines that end the definitions.
std::string definitions(const Macros& macros);
std::string ends_of_definitions(const Macros& macros);

}  // namespace cutset::portable
