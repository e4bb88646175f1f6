// SPDX-License-Identifier: Apache-2.0
#include "graph/dot.h"

#include <iterator>
#include <map>

#include "graph/xml_text.h"

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

void print(std::string& out, const DotGraph& graph, const Cluster& cluster, int depth, int& number,
           int colour) {
  const std::string pad(static_cast<size_t>(depth) * 2, ' ');
  for (const DotNode* n : cluster.nodes) {
    std::string label;
    for (size_t i = 0; i < n->lines.size(); ++i) label += (i ? "\\n" : "") + escaped(n->lines[i]);
    out += pad + "\"" + escaped(n->id) + "\" [label=\"" + label +
           "\", shape=" + (n->round ? "ellipse" : "box") + ", style=\"filled,rounded\", fillcolor=\"" +
           (n->fill.empty() ? "white" : n->fill) + "\", tooltip=\"" + escaped(n->tooltip) + "\"];\n";
  }
  int next = 0;
  for (const std::string& name : cluster.order) {
    const int shade = depth == 1 ? next++ % static_cast<int>(std::size(kColours)) : colour;
    const auto warning = depth == 1 ? graph.warnings.find(name) : graph.warnings.end();
    const bool warns = warning != graph.warnings.end();
    out += pad + "subgraph cluster_" + std::to_string(number++) + " {\n" + pad + "  label=\"" +
           escaped(warns ? name + "\n" + warning->second : name) +
           "\"; labeljust=l; style=\"filled,rounded\"; color=\"" + (warns ? kDotCutColour : "#8a94a3") +
           (warns ? std::string("\"; penwidth=3; fontcolor=\"") + kDotCutColour : "") + "\"; fillcolor=\"" +
           (depth == 1 ? kColours[shade] : "#ffffffa0") + "\";\n";
    print(out, graph, cluster.inner.at(name), depth + 1, number, shade);
    out += pad + "}\n";
  }
}

// Returns a row of the legend. Each row is a separate table, so that its columns do not depend on other rows.
std::string row(const std::vector<DotKey>& keys) {
  if (keys.empty()) return "";
  std::string cells;
  for (const DotKey& key : keys) {
    const std::string text = xml_text(key.text);
    cells += "<TD" + (key.fill.empty() ? std::string(" BORDER=\"0\"") : " BGCOLOR=\"" + key.fill + "\"") +
             ">" + (key.colour.empty() ? text : "<FONT COLOR=\"" + key.colour + "\">" + text + "</FONT>") +
             "</TD>";
  }
  return "<TR><TD><TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"4\" COLOR=\"#8a94a3\"><TR>" + cells +
         "</TR></TABLE></TD></TR>";
}

// Returns the label of the whole drawing: the title, the colours of the outermost clusters, and the legend.
std::string heading(const DotGraph& graph, const Cluster& top) {
  std::vector<DotKey> clusters, nodes, edges;
  for (size_t i = 0; i < top.order.size(); ++i)
    clusters.push_back({top.order[i], kColours[i % std::size(kColours)]});
  for (const DotKey& key : graph.legend) (key.fill.empty() ? edges : nodes).push_back(key);
  std::string rows = row(clusters) + row(nodes);
  for (const DotKey& key : edges) rows += row({key});
  return "<<TABLE BORDER=\"0\" CELLSPACING=\"0\"><TR><TD><FONT POINT-SIZE=\"16\">" + xml_text(graph.title) +
         "</FONT></TD></TR>" + rows + "</TABLE>>";
}

std::string edge_text(const DotEdge& e) {
  std::string attributes = "label=\"" + escaped(e.label) + "\"";
  const std::string colour = e.cut ? kDotCutColour : e.dotted ? "#9aa3ae" : "";
  if (!colour.empty()) attributes += ", color=\"" + colour + "\", fontcolor=\"" + colour + "\"";
  if (e.cut && !e.dotted) attributes += ", penwidth=2.5";
  if (e.dotted) attributes += ", style=dotted";
  if (e.invisible) attributes += ", style=invis";
  if (e.both) attributes += ", dir=both";
  return "  \"" + escaped(e.from) + "\" -> \"" + escaped(e.to) + "\" [" + attributes + "];\n";
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
  std::string out = "digraph cutset {\n  label=" + heading(graph, top) +
                    "; labelloc=t; fontname=\"Helvetica\"; fontsize=10; compound=true; newrank=true; "
                    "nodesep=0.25; ranksep=0.35; "
                    "nslimit=1; nslimit1=1;\n"
                    "  node [fontname=\"Helvetica\", fontsize=10]; edge [fontname=\"Helvetica\", fontsize=9, "
                    "color=\"#5a6472\"];\n";
  int number = 0;
  print(out, graph, top, 1, number, 0);
  for (const DotEdge& e : graph.edges) out += edge_text(e);
  return out + "}\n";
}

}  // namespace cutset
