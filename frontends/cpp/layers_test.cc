// Layers: a call that throws can be repeated.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

TEST(Layers, ThatThrowLeaveNothingBehind) {
  Graph g(4), untouched(4);
  Tensor image = g.input("x", f32, {2, 3, 8, 8}), same = untouched.input("x", f32, {2, 3, 8, 8});
  EXPECT_THAT(error_of([&] { nn::conv2d(g, "c", image, {.filters = 4, .kernel = 9}); }), HasSubstr(CUTSET_HERE));
  EXPECT_NE(error_of([&] { nn::conv2d(g, "c", image, {.filters = 4, .kernel = -1}); }), "no error");
  EXPECT_NE(error_of([&] { nn::conv2d(g, "c", image, {.filters = 4, .kernel = 3, .groups = 2}); }), "no error");
  EXPECT_NE(error_of([&] { nn::dense(g, "c", g.input("i", i32, {2, 3}), 4); }), "no error");
  Graph other;
  EXPECT_NE(error_of([&] { nn::dense(g, "c", other.input("x", f32, {2, 3}), 4); }), "no error");
  g.variable("taken.bias", f32, {4}, {});
  EXPECT_THAT(error_of([&] { nn::dense(g, "taken", image, 4); }), HasSubstr("'taken.bias' already"));
  // The second try is as if there had been no first one, to the numbers that are drawn.
  g.output("y", nn::conv2d(g, "c", image, {.filters = 4, .kernel = 3}));
  untouched.variable("taken.bias", f32, {4}, {});
  untouched.output("y", nn::conv2d(untouched, "c", same, {.filters = 4, .kernel = 3}));
  Session a = compile(g, {.devices = "reference:0"}), b = compile(untouched, {.devices = "reference:0"});
  EXPECT_EQ(a.variables(), b.variables());
  EXPECT_EQ(a.variables(), (std::vector<std::string>{"c.bias", "c.weight", "taken.bias"}));
  for (const std::string& v : a.variables()) EXPECT_EQ(a.variable(v), b.variable(v)) << v;
}

TEST(Layers, OfNoUnitsAreRefused) {
  Graph g;
  Tensor image = g.input("x", f32, {2, 3, 8, 8});
  EXPECT_THAT(error_of([&] { nn::conv2d(g, "c", image, {.kernel = 3}); }), HasSubstr("conv2d 'c' has 0 filters"));
  EXPECT_THAT(error_of([&] { nn::conv2d(g, "c", image, {.kernel = 3}); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { nn::dense(g, "d", image, 0); }), HasSubstr("dense 'd' has 0 units"));
  EXPECT_THAT(error_of([&] { nn::dense(g, "d", image, -3); }), HasSubstr("dense 'd' has -3 units"));
}

}  // namespace
}  // namespace cutset
