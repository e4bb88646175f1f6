// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/refusals.h"

#include <algorithm>

#include "ir/core/number_text.h"

namespace cutset::onnx {

constexpr size_t kMostLines = 3;  // lines per reason

void Refusals::add(const std::string& text, const std::string& line) {
  Reason& reason = reasons_[text];
  ++reason.count;
  ++count_;
  if (line.empty() || std::find(reason.lines.begin(), reason.lines.end(), line) != reason.lines.end()) return;
  if (reason.lines.size() < kMostLines)
    reason.lines.push_back(line);
  else
    reason.more = true;
}

std::string Refusals::list(const std::string& noun, size_t most) const {
  std::string all;
  size_t listed = 0;
  for (const auto& [text, reason] : reasons_) {
    if (listed++ == most) break;
    all += (all.empty() ? "" : "; ") + counted(reason.count, noun) + " " + text;
    for (const std::string& line : reason.lines)
      all += (&line == &reason.lines.front() ? ", at " : ", ") + line;
    if (reason.more) all += ", ...";
  }
  if (reasons_.size() > most) all += "; and " + std::to_string(reasons_.size() - most) + " more reasons";
  return all;
}

}  // namespace cutset::onnx
