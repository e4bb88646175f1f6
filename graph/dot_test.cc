// SPDX-License-Identifier: Apache-2.0
#include "graph/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Dot, EscapesAndNests) {
  const DotGraph g{.title = "a \"title\" <of> & one\x1b",
                   .nodes = {{"1", {"cpu:0", "conv1"}, {"conv\\2d", "x"}, "", "tip\"", false}},
                   .edges = {{"1", "1", "4 B", true}}};
  const std::string text = to_dot(g);
  EXPECT_THAT(text, HasSubstr("a &quot;title&quot; &lt;of&gt; &amp; one?"));
  EXPECT_THAT(text, HasSubstr("conv\\\\2d\\nx"));
  EXPECT_LT(text.find("label=\"cpu:0\""), text.find("label=\"conv1\""));
}

TEST(Dot, EveryVisibleOrInvisibleEdgePointsDown) {
  const std::string text = to_dot({.nodes = {{"a", {"cpu:0"}}, {"b", {"cpu:1"}}},
                                   .edges = {{"a", "b", "4 B", true}, {"b", "a", "", false, true}}});
  EXPECT_THAT(text, HasSubstr("newrank=true")) << "without newrank, Graphviz ranks each cluster separately";
  EXPECT_THAT(text, Not(HasSubstr("constraint=false")));
  EXPECT_THAT(text, HasSubstr("\"b\" -> \"a\" [label=\"\", style=invis];"));
}

// The heading lists the colour of each device, the colour of each kind of node, and the kinds of edges.
TEST(Dot, LegendNamesDevicesNodesAndEdges) {
  const std::string text = to_dot({.legend = {{"backward", "#eef0f3"}, {"red: transfers", "", "#c0392b"}},
                                   .nodes = {{"a", {"cpu:0"}}, {"b", {"sim:0"}}}});
  const std::string heading = text.substr(0, text.find("labelloc"));
  EXPECT_THAT(heading, HasSubstr("<TD BGCOLOR=\"#e8f1fb\">cpu:0</TD><TD BGCOLOR=\"#fdf0e3\">sim:0</TD>"));
  EXPECT_THAT(heading, HasSubstr("<TD BGCOLOR=\"#eef0f3\">backward</TD>"));
  EXPECT_THAT(heading, HasSubstr("<FONT COLOR=\"#c0392b\">red: transfers</FONT>"));
  EXPECT_THAT(text.substr(text.find("label=\"cpu:0\"")), HasSubstr("fillcolor=\"#e8f1fb\""));
}

TEST(Dot, WarningsMakeTheBoxOfAnOutermostClusterRed) {
  const std::string text = to_dot(
      {.nodes = {{"a", {"cpu:0", "sim:0"}}, {"b", {"sim:0"}}}, .warnings = {{"sim:0", "too \"full\""}}});
  EXPECT_THAT(text, HasSubstr("label=\"sim:0\\ntoo \\\"full\\\"\"; labeljust=l; style=\"filled,rounded\"; "
                              "color=\"#c0392b\"; penwidth=3; fontcolor=\"#c0392b\""));
  EXPECT_THAT(text, HasSubstr("label=\"sim:0\"; labeljust=l; style=\"filled,rounded\"; color=\"#8a94a3\""))
      << "an inner cluster has no warning";
}

TEST(Dot, EdgesMayBeDottedOrHaveTwoArrows) {
  const std::string text =
      to_dot({.nodes = {{"a"}, {"b"}},
              .edges = {{.from = "a", .to = "b", .dotted = true}, {.from = "b", .to = "a", .both = true}}});
  EXPECT_THAT(
      text,
      HasSubstr("\"a\" -> \"b\" [label=\"\", color=\"#9aa3ae\", fontcolor=\"#9aa3ae\", style=dotted];"));
  EXPECT_THAT(text, HasSubstr("\"b\" -> \"a\" [label=\"\", dir=both];"));
}

}  // namespace
}  // namespace cutset
