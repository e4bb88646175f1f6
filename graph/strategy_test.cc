#include "graph/strategy.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

TEST(Strategy, SharesBecomeWholeSamplesByLargestRemainder) {
  EXPECT_EQ(apportion(61, {5, 2}), (std::vector<int64_t>{44, 17}));
  EXPECT_EQ(apportion(61, {5, 2, 1}), (std::vector<int64_t>{38, 15, 8}));
  EXPECT_EQ(apportion(2, {1, 1, 1}), (std::vector<int64_t>{1, 1, 0}));
  EXPECT_EQ(apportion(0, {3, 1}), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(apportion(7, {0, 1}), (std::vector<int64_t>{0, 7}));
}

TEST(Strategy, ParsesToItsOwnText) {
  for (const char* text : {"one_device", "model", "data(2)", "data(2, shares=5:2)", "data(2) * model",
                           "data(4, shares=1:0.5:2:3) * model"}) {
    const size_t devices = std::string(text).find("model") != std::string::npos ? 8
                           : std::string(text).find("data") == 0                ? 2
                                                                                : 1;
    auto parsed = parse_strategy(text, devices);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().text();
    EXPECT_EQ(parsed->text(), text);
  }
  EXPECT_EQ(parse_strategy("mirrored", 3)->text(), "data(3)");
  EXPECT_EQ(parse_strategy("", 1)->text(), "one_device");
  EXPECT_EQ(parse_strategy("", 2)->text(), "model");
  EXPECT_EQ(parse_strategy("model*data( 2 ,shares= 1:3 )", 4)->text(), "data(2, shares=1:3) * model");
}

}  // namespace
}  // namespace cutset
