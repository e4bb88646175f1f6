// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/dot_group_texts.h"

#include <algorithm>

#include "passes/inspect/dot_builder.h"

namespace cutset::passes {

void add_lines(std::vector<std::string>& lines, const DotGroup& group) {
  constexpr size_t kWidth = 28, kLines = 5;
  if (group.shards.size() > 1) lines.push_back(std::to_string(group.shards.size()) + " micro-batches");
  std::string line;
  for (const auto& [name, count] : group.counts) {
    const std::string text = name + (count > 1 ? " x " + std::to_string(count) : "");
    if (!line.empty() && line.size() + text.size() > kWidth) {
      lines.push_back(line + ",");
      line.clear();
    }
    if (lines.size() >= kLines) {
      line = "...";
      break;
    }
    line += (line.empty() ? "" : ", ") + text;
  }
  if (!line.empty()) lines.push_back(line);
}

std::string text_of(const DotLink& link) {
  const auto micro_batches = static_cast<int64_t>(link.shards.size());
  if (micro_batches < 2)
    return (link.tensors > 1 ? std::to_string(link.tensors) + " tensors, " : "") + bytes_text(link.bytes);
  const bool equal = link.bytes % micro_batches == 0;
  return std::to_string(micro_batches) + " micro-batches x " + (equal ? "" : "about ") +
         bytes_text(link.bytes / micro_batches);
}

std::vector<DotKey> legend_of(const DotGraph& drawing) {
  std::vector<DotKey> legend = {{"forward", "white"},
                                {"backward", kDotBackward},
                                {"updates", kDotUpdate},
                                {"inputs and outputs", kDotPort}};
  const auto any = [&](bool DotEdge::* kind) {
    return std::ranges::any_of(drawing.edges, [&](const DotEdge& e) { return e.*kind; });
  };
  if (any(&DotEdge::both) ||
      std::ranges::any_of(drawing.nodes, [](auto& n) { return n.fill == kDotTransfer; }))
    legend.push_back({"sums and sends for updates", kDotTransfer});
  const bool bytes = std::ranges::any_of(drawing.edges, [](auto& e) { return e.cut && !e.label.empty(); });
  if (any(&DotEdge::cut))
    legend.push_back({bytes ? kDotTransfers : "red: transfers between devices", "", kDotCutColour});
  if (any(&DotEdge::dotted))
    legend.push_back(
        {"dotted, grey: a backward pass reads what its forward pass read and computed", "", "#6b7480"});
  return legend;
}

}  // namespace cutset::passes
