// SPDX-License-Identifier: Apache-2.0
// The texts of a drawing of groups: the lines of its nodes, the labels of its transfers, and its legend.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/dot.h"

namespace cutset::passes {

// A node of the drawing that stands for ops.
struct DotGroup {
  size_t node = 0;                                  // its index in the drawing
  std::vector<std::pair<std::string, int>> counts;  // the names of its ops in order, with the number of each
  std::set<int64_t> shards;                         // the micro-batches for which it runs
};
// The tensors that one group sends to another.
struct DotLink {
  int64_t bytes = 0, tensors = 0;
  std::set<int64_t> shards;
};

// Adds the lines below the title of a group: the micro-batches, and the ops with their numbers.
void add_lines(std::vector<std::string>& lines, const DotGroup& group);
// Returns the label of a transfer: "2 tensors, 4 KiB", or "4 micro-batches x 1 KiB".
std::string text_of(const DotLink& link);
// Returns the entries for the kinds of nodes and edges that the drawing has.
std::vector<DotKey> legend_of(const DotGraph& drawing);

}  // namespace cutset::passes
