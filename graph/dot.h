// SPDX-License-Identifier: Apache-2.0
// Writes a graph as DOT text for Graphviz: nodes in nested clusters, and edges with labels.
//
// The file is in graph/ because it works on plain data: the caller fills in a DotGraph, and no MLIR is
// needed.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace cutset {

struct DotNode {
  std::string id;  // unique in the graph
  std::vector<std::string>
      clusters;                    // the nested clusters that hold the node, outermost first: device, layer
  std::vector<std::string> lines;  // lines of the label; the first one is the title
  std::string fill;                // a colour of Graphviz; empty: white
  std::string tooltip;
  bool round = false;  // an ellipse instead of a box
};
struct DotEdge {
  std::string from, to, label;  // ids of two nodes, and text
  bool cut = false;             // the edge crosses devices and is drawn bold and red
  bool invisible = false;       // the edge only places `to` below `from`
  bool dotted = false;          // the edge is drawn dotted and thin
  bool both = false;            // the edge has an arrow at each end
};
// An entry of the legend: the meaning of a colour of nodes, or of a kind of edges.
struct DotKey {
  std::string text;
  std::string fill;         // the colour of nodes, as in DotNode; empty: the entry is for edges
  std::string colour = "";  // the colour of the text; empty: black
};
struct DotGraph {
  std::string title;
  std::vector<DotKey> legend;  // to_dot adds the colours of the outermost clusters
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
  std::map<std::string, std::string> warnings = {};  // texts by outermost cluster, whose box and text are red
};

inline constexpr const char* kDotCutColour = "#c0392b";  // the colour of edges that cross devices

// Returns DOT text whose drawing is read from top to bottom: every edge of an acyclic graph points down, even
// between clusters. The outermost clusters take six colours in turn. The title and the legend are above the
// drawing. All text is escaped.
std::string to_dot(const DotGraph& graph);

}  // namespace cutset
