// A graph as DOT text (Graphviz): nodes in nested clusters, edges with labels. No MLIR: whoever has a
// graph fills this in.
#pragma once
#include <string>
#include <vector>

namespace cutset {

struct DotNode {
  std::string id;                     // unique
  std::vector<std::string> clusters;  // outermost first: device, layer
  std::vector<std::string> lines;     // the label; the first is the title
  std::string fill;                   // colour, or empty
  std::string tooltip;
  bool round = false;
};
struct DotEdge {
  std::string from, to, label;
  bool cut = false;  // crosses devices: bold, and no reason to put one end below the other
};
struct DotGraph {
  std::string title;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
};

// Clusters of depth one get a colour each, in order of first use; text is escaped.
std::string to_dot(const DotGraph& graph);

}  // namespace cutset
