// Draws DOT files with Graphviz.
#pragma once
#include <optional>
#include <string>

namespace cutset::cli {

// The seconds that Graphviz has for a drawing: the environment variable CUTSET_GRAPHVIZ_SECONDS, or 60. A drawing of thousands of edges may take hours.
int seconds_for_graphviz();

// The drawing of a DOT file as SVG, or nothing if Graphviz's program dot is not installed, fails, or takes more than seconds_for_graphviz().
std::optional<std::string> svg_of(const std::string& dot_file);

}  // namespace cutset::cli
