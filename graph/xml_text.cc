// SPDX-License-Identifier: Apache-2.0
#include "graph/xml_text.h"

namespace cutset {

std::string xml_text(const std::string& text) {
  std::string s;
  for (const char c : text) {
    if (c == '&')
      s += "&amp;";
    else if (c == '<')
      s += "&lt;";
    else if (c == '>')
      s += "&gt;";
    else if (c == '"')
      s += "&quot;";
    else
      s += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  }
  return s;
}

}  // namespace cutset
