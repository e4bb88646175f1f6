#include "graph/dot.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

TEST(Dot, EscapesAndNests) {
  DotGraph g{
      "a \"title\"", {{"1", {"cpu:0", "conv1"}, {"conv\\2d", "x"}, "", "tip\"", false}}, {{"1", "1", "4 B", true}}};
  const std::string text = to_dot(g);
  EXPECT_NE(text.find("a \\\"title\\\""), std::string::npos);
  EXPECT_NE(text.find("conv\\\\2d\\nx"), std::string::npos);
  EXPECT_LT(text.find("label=\"cpu:0\""), text.find("label=\"conv1\""));
}

TEST(Dot, EveryVisibleOrInvisibleEdgePointsDown) {
  const std::string text =
      to_dot({"", {{"a", {"cpu:0"}}, {"b", {"cpu:1"}}}, {{"a", "b", "4 B", true}, {"b", "a", "", false, true}}});
  EXPECT_NE(text.find("newrank=true"), std::string::npos) << "without newrank, Graphviz ranks each cluster separately";
  EXPECT_EQ(text.find("constraint=false"), std::string::npos);
  EXPECT_NE(text.find("\"b\" -> \"a\" [label=\"\", style=invis];"), std::string::npos);
}

}  // namespace
}  // namespace cutset
