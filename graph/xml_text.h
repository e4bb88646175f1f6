// SPDX-License-Identifier: Apache-2.0
// Text inside of XML: of SVG files, and of the HTML-like labels of DOT.
#pragma once
#include <string>

namespace cutset {

// Returns `text` with the characters that XML interprets as entities. Control characters, which XML does not
// allow, become question marks.
std::string xml_text(const std::string& text);

}  // namespace cutset
