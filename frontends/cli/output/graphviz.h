// SPDX-License-Identifier: Apache-2.0
// Draws DOT files with Graphviz.
#pragma once
#include <optional>
#include <string>

namespace cutset::cli {

// Draws a DOT file as SVG. Returns nothing, and sets `why` to the reason, if Graphviz's program dot is not
// installed, fails, or takes too long. The limit is the number of seconds in the environment variable
// CUTSET_GRAPHVIZ_SECONDS, or 60, because a drawing of thousands of edges may take hours.
std::optional<std::string> svg_of(const std::string& dot_file, std::string& why);

}  // namespace cutset::cli
