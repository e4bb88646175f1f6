// SPDX-License-Identifier: Apache-2.0
// Draws DOT files with Graphviz.
#pragma once
#include <optional>
#include <string>

namespace cutset::cli {

// The drawing of a DOT file as SVG. Returns nothing, and says why in `why`, if Graphviz's program dot is not
// installed, fails, or takes more than 60 seconds or those of the environment variable
// CUTSET_GRAPHVIZ_SECONDS. A drawing of thousands of edges may take hours.
std::optional<std::string> svg_of(const std::string& dot_file, std::string& why);

}  // namespace cutset::cli
