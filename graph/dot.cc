#include "graph/dot.h"

#include <map>

namespace cutset {
namespace {

std::string escaped(const std::string& text) {
  std::string s;
  for (char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    if (c == '\n')
      s += "\\n";
    else
      s += c;
  }
  return s;
}

struct Cluster {
  std::map<std::string, Cluster> inner;
  std::vector<std::string> order;
  std::vector<const DotNode*> nodes;
};

constexpr const char* kColours[] = {"#e8f1fb", "#fdf0e3", "#eaf6ea", "#f6eaf5", "#f3f3e6", "#eaf4f5"};

void print(std::string& out, const Cluster& cluster, int depth, int& number, int colour) {
  const std::string pad(static_cast<size_t>(depth) * 2, ' ');
  for (const DotNode* n : cluster.nodes) {
    std::string label;
    for (size_t i = 0; i < n->lines.size(); ++i) label += (i ? "\\n" : "") + escaped(n->lines[i]);
    out += pad + "\"" + escaped(n->id) + "\" [label=\"" + label + "\", shape=" + (n->round ? "ellipse" : "box") +
           ", style=\"filled,rounded\", fillcolor=\"" + (n->fill.empty() ? "white" : n->fill) + "\", tooltip=\"" +
           escaped(n->tooltip) + "\"];\n";
  }
  int next = 0;
  for (const std::string& name : cluster.order) {
    const int shade = depth == 1 ? next++ % 6 : colour;
    out += pad + "subgraph cluster_" + std::to_string(number++) + " {\n" + pad + "  label=\"" + escaped(name) +
           "\"; labeljust=l; style=\"filled,rounded\"; color=\"#8a94a3\"; fillcolor=\"" +
           (depth == 1 ? kColours[shade] : "#ffffffa0") + "\";\n";
    print(out, cluster.inner.at(name), depth + 1, number, shade);
    out += pad + "}\n";
  }
}

}  // namespace

std::string to_dot(const DotGraph& graph) {
  Cluster top;
  for (const DotNode& n : graph.nodes) {
    Cluster* at = &top;
    for (const std::string& name : n.clusters) {
      if (!at->inner.contains(name)) at->order.push_back(name);
      at = &at->inner[name];
    }
    at->nodes.push_back(&n);
  }
  // Without limits of its network simplex, Graphviz takes minutes for a few hundred edges.
  std::string out =
      "digraph cutset {\n  label=\"" + escaped(graph.title) +
      "\"; labelloc=t; fontname=\"Helvetica\"; fontsize=16; compound=true; newrank=true; nodesep=0.25; ranksep=0.35; "
      "nslimit=1; nslimit1=1;\n"
      "  node [fontname=\"Helvetica\", fontsize=10]; edge [fontname=\"Helvetica\", fontsize=9, color=\"#5a6472\"];\n";
  int number = 0;
  print(out, top, 1, number, 0);
  for (const DotEdge& e : graph.edges)
    out += "  \"" + escaped(e.from) + "\" -> \"" + escaped(e.to) + "\" [label=\"" + escaped(e.label) + "\"" +
           (e.cut ? ", color=\"#c0392b\", fontcolor=\"#c0392b\", penwidth=2.5" : "") +
           (e.invisible ? ", style=invis" : "") + "];\n";
  return out + "}\n";
}

}  // namespace cutset
