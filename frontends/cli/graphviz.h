// Draws DOT files with Graphviz.
#pragma once
#include <optional>
#include <string>

namespace cutset::cli {

// The drawing of a DOT file as SVG, or nothing if Graphviz's program dot is not installed or fails.
std::optional<std::string> svg_of(const std::string& dot_file);

}  // namespace cutset::cli
