// SPDX-License-Identifier: Apache-2.0
// Tests that errors of building a graph name the line of the call. Also tests which ops belong to a scope.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

TEST(Graph, ShapeErrorsNameTheLineOfTheCall) {
  Graph g;
  Tensor x = g.input("x", f32, {4, 8}), y = g.input("y", f32, {3, 8});
  EXPECT_THAT(error_of([&] { matmul(x, y); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { matmul(x, y); }), HasSubstr("C2: inner sizes 8 and 3"));
  EXPECT_THAT(error_of([&] { x + y; }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { nn::conv("c", x, {.out_channels = 3}); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { g.input("x", f32, {1}); }), HasSubstr("already"));
  EXPECT_THAT(error_of([&] { g.input("huge", f32, {int64_t{1} << 40, int64_t{1} << 40}); }),
              HasSubstr("too large"));
  EXPECT_THAT(error_of([&] { g.minimize(x, {}); }), HasSubstr("scalar"));
  EXPECT_THAT(error_of([&] { relu(Tensor()); }), HasSubstr("empty Tensor"));
  Graph other;
  EXPECT_THAT(error_of([&] { add(x, other.input("x", f32, {4, 8})); }), HasSubstr("different graphs"));
}

// The two scopes of each kind begin as `first` and `second`, and `first` ends first.
TEST(Scopes, MayEndInAnyOrder) {
  Graph g;
  const Tensor x = g.input("x", f32, {4});
  auto on_first = std::make_unique<DeviceScope>(g, "reference:0"),
       on_second = std::make_unique<DeviceScope>(g, "sim:0");
  auto first = std::make_unique<NameScope>(g, "first"), second = std::make_unique<NameScope>(g, "second");
  g.output("both", relu(x + 1));
  on_first.reset();
  first.reset();
  g.output("one", relu(x + 2));
  on_second.reset();
  second.reset();
  g.output("none", relu(x + 3));
  const Explained explained = explain(g, {.devices = "reference:0,sim:0", .strategy = "model"});
  std::vector<std::string> layers, devices;
  for (const Explanation& op : explained.ops)
    if (op.op == "relu") {
      layers.push_back(op.layer);
      devices.push_back(op.reason == "user" ? op.device : "");
    }
  EXPECT_THAT(layers, ElementsAre("first/second", "second", ""));
  EXPECT_THAT(devices, ElementsAre("sim:0", "sim:0", ""));
}

}  // namespace
}  // namespace cutset
