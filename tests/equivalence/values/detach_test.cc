// SPDX-License-Identifier: Apache-2.0
// Tests the gradient of detach, which differs from finite differences.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace cutset {
namespace {

using ::testing::ElementsAre;

// Returns the numbers that a step with the rate 1 subtracts from the variable w. Each sample of the batch has
// a row of w.
std::vector<float> gradient_of(const std::function<Tensor(Graph&, const Tensor& w)>& loss,
                               std::vector<float> start,
                               const CompileOptions& options = {.devices = "reference:0"}) {
  Graph g;
  const auto elements = static_cast<int64_t>(start.size());
  const Tensor w = g.variable("w", HostTensor({elements}, start));
  g.minimize(loss(g, w), {.learning_rate = 1, .momentum = 0});
  Session session = compile(g, options);
  session.train({{"x", HostTensor({4}, {1.0f, 2.0f, 3.0f, 4.0f})}});
  std::vector<float> gradient;
  const HostTensor after = session.variable("w");
  for (size_t i = 0; i < start.size(); ++i) gradient.push_back(start[i] - after.as<float>()[i]);
  return gradient;
}

TEST(Detach, PassesNoGradient) {
  const auto loss = [](Graph& g, const Tensor& w) { return sum(w * detach(w) * g.input("x", f32, {4})); };
  EXPECT_THAT(gradient_of(loss, {5, 6, 7, 8}), ElementsAre(5, 12, 21, 32));  // and not twice as much
}

// The derivative of the logarithm at 0 is infinite, and 0 times it is NaN.
TEST(Detach, PassesTheGradientWhereTheConditionHolds) {
  for (const char* devices : {"reference:0", "cpu:0", "cpu:0,sim:0"}) {
    const auto loss = [](Graph& g, const Tensor& w) {
      const Tensor positive = greater(w, g.constant(HostTensor(Shape{}, std::vector<float>{0})));
      return sum(where(positive, log(detach(w, positive)), w) * g.input("x", f32, {4}));
    };
    EXPECT_THAT(gradient_of(loss, {0, 2, -1, 8}, {.devices = devices}), ElementsAre(1, 1, 3, 0.5f))
        << devices;
  }
}

// The condition is one number for all replicas, and x is divided.
TEST(Detach, HasTheSameGradientOnReplicas) {
  const auto loss = [](Graph& g, const Tensor& w) {
    const Tensor x = g.input("x", f32, {4}),
                 large = greater(sum(x), g.constant(HostTensor(Shape{}, std::vector<float>{9})));
    return mean(detach(w, large) * detach(w) * x);
  };
  EXPECT_THAT(gradient_of(loss, {2}, {.devices = "cpu:0,sim:0", .strategy = "data(2)"}), ElementsAre(5));
}

// The op is removed when the gradients are known, even if the user chose its device.
TEST(Detach, MayHaveADevice) {
  const auto loss = [](Graph& g, const Tensor& w) {
    const DeviceScope on(g, "sim:0");
    return sum(detach(w) * w * g.input("x", f32, {4}));
  };
  EXPECT_THAT(gradient_of(loss, {1, 2, 3, 4}, {.devices = "cpu:0,sim:0"}), ElementsAre(1, 4, 9, 16));
}

}  // namespace
}  // namespace cutset
