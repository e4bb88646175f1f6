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

}  // namespace
}  // namespace cutset
