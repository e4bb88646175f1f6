// Writes a graph as DOT text for Graphviz: nodes in nested clusters, and edges with labels.
//
// The file is in graph/ because it works on plain data: the caller fills in a DotGraph, and no MLIR is needed.
#pragma once
#include <string>
#include <vector>

namespace cutset {

struct DotNode {
  std::string id;                     // unique in the graph
  std::vector<std::string> clusters;  // the nested clusters that hold the node, outermost first: device, layer
  std::vector<std::string> lines;     // lines of the label; the first one is the title
  std::string fill;                   // a colour of Graphviz; empty: white
  std::string tooltip;
  bool round = false;  // an ellipse instead of a box
};
struct DotEdge {
  std::string from, to, label;  // ids of two nodes, and text
  bool cut = false;             // the edge crosses devices and is drawn bold
  bool invisible = false;       // the edge only places `to` below `from`
};
struct DotGraph {
  std::string title;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
};

// Returns DOT text whose drawing is read from top to bottom: every edge of an acyclic graph points down, across
// clusters too. The outermost clusters take six colours in turn. All text is escaped.
std::string to_dot(const DotGraph& graph);

}  // namespace cutset
