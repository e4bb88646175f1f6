// Tests that errors of building a graph name the line of the call.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

TEST(Graph, ShapeErrorsNameTheLineOfTheCall) {
  Graph g;
  Tensor x = g.input("x", f32, {4, 8}), y = g.input("y", f32, {3, 8});
  EXPECT_THAT(error_of([&] { matmul(x, y); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { matmul(x, y); }), HasSubstr("C2: inner sizes 8 and 3"));
  EXPECT_THAT(error_of([&] { x + y; }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { nn::conv2d(g, "c", x, {.out_channels = 3}); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { g.input("x", f32, {1}); }), HasSubstr("already"));
  EXPECT_THAT(error_of([&] { g.input("huge", f32, {int64_t{1} << 40, int64_t{1} << 40}); }), HasSubstr("too large"));
  EXPECT_THAT(error_of([&] { g.minimize(x, {}); }), HasSubstr("scalar"));
  EXPECT_THAT(error_of([&] { relu(Tensor()); }), HasSubstr("empty Tensor"));
  Graph other;
  EXPECT_THAT(error_of([&] { add(x, other.input("x", f32, {4, 8})); }), HasSubstr("different graphs"));
}

}  // namespace
}  // namespace cutset
