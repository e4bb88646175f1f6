// SPDX-License-Identifier: Apache-2.0
// Tests operators on a tensor and a number, and constants: their values with every type and strategy, their
// gradients and errors.
#include <cutset/cutset.h>
#include <cutset/verify.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;

// Returns the value of `f` for a scalar input of `type`.
template <class F>
double value_of(DType type, double x, F&& f, bool f64_session = false) {
  Graph g;
  g.output("y", f(g.input("x", type, {})));
  Session s = compile(g, {.devices = "reference:0", .f64 = f64_session});
  HostTensor feed({type, {}});
  feed.set(0, x);
  Batch b;
  b.emplace("x", feed);
  return s.run("evaluate", b)["y"].item<double>();
}

TEST(Constants, EveryOperatorTakesANumberOnEitherSide) {
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return x + 0.5; }), 8.5);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return x - 0.5; }), 7.5);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return x * 0.5; }), 4);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return x / 2; }), 4);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return 0.5 + x; }), 8.5);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return 1 - x; }), -7);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return 0.5f * x; }), 4);
  EXPECT_EQ(value_of(f32, 8, [](Tensor x) { return 2 / x; }), 0.25);
  EXPECT_EQ(value_of(i32, 8, [](Tensor x) { return x * 2 - 1; }), 15);
  EXPECT_EQ(value_of(i64, 1, [](Tensor x) { return x + (int64_t{1} << 53); }),
            0x1p53);  // 2^53 + 1, as a double
  EXPECT_EQ(value_of(f32, 1, [](Tensor x) { return where(greater(x, constant(x, 0.5)), x * 3, x * 4); }), 3);
}

TEST(Constants, TheTensorDecidesThePrecision) {
  EXPECT_EQ(value_of(f32, 1, [](Tensor x) { return x * 0.1; }), static_cast<double>(0.1f));
  EXPECT_EQ(value_of(f64, 1, [](Tensor x) { return x * 0.1; }), 0.1);
  EXPECT_EQ(value_of(f32, 1, [](Tensor x) { return x * 0.1; }, true), 0.1);
}

TEST(Constants, ANumberThatTheTypeDoesNotHaveIsAnError) {
  Graph g;
  Tensor i = g.input("i", i32, {2}), f = g.input("f", f32, {2}), b = greater(f, f), u = g.input("u", u8, {2});
  EXPECT_ERROR_HERE("0.5 is not a value of i32", i * 0.5);
  EXPECT_ERROR_HERE("not a value of i32", i * (int64_t{1} << 40));
  EXPECT_ERROR_HERE("-1 is not a value of u8", u + -1);
  EXPECT_ERROR_HERE("from -2^53 to 2^53", i + ((int64_t{1} << 53) + 1));
  EXPECT_ERROR_HERE("from -2^53 to 2^53", i + -((int64_t{1} << 53) + 1));
  EXPECT_ERROR_HERE("from -2^53 to 2^53", f * ~uint64_t{0});
  EXPECT_ERROR_HERE("too large for f32", f * 1e300);
  EXPECT_ERROR_HERE("i1", b * 2);
  EXPECT_ERROR_HERE("empty Tensor", Tensor{} * 2);
  EXPECT_ERROR_HERE("empty Tensor", 2 - Tensor{});
  EXPECT_ERROR_HERE("0.5 is not a value of i32", i / 0.5);
  EXPECT_EQ((i / 2).dtype(), i32);
  EXPECT_ERROR_HERE("no such element type", constant(g, 1, DType(77)));
  EXPECT_EQ(constant(g, 0.5, f32).type(), (TensorType{f32, {}}));
}

TEST(Constants, TensorsOfAtMost1KiB) {
  Graph g;
  Tensor x = g.input("x", f32, {2, 3});
  g.output("y", x * g.constant(HostTensor({3}, {1.f, 0.f, -2.f})));
  g.output("z", x + g.constant(HostTensor({2, 1}, {10.f, 20.f})));
  for (const char* devices : {"reference:0", "cpu:0"}) {
    Session s = compile(g, {.devices = devices});
    Batch b;
    b.emplace("x", HostTensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
    Outputs out = s.run("evaluate", b);
    EXPECT_EQ(out["y"], HostTensor({2, 3}, {1.f, 0.f, -6.f, 4.f, 0.f, -12.f})) << devices;
    EXPECT_EQ(out["z"], HostTensor({2, 3}, {11.f, 12.f, 13.f, 24.f, 25.f, 26.f})) << devices;
  }
  EXPECT_EQ(g.constant(HostTensor({f32, {256}})).type(), (TensorType{f32, {256}}));
  EXPECT_ERROR_HERE("the constant has 1028 bytes; the limit is 1024 bytes",
                    g.constant(HostTensor({f32, {257}})));
  EXPECT_ERROR_HERE("i1", g.constant(HostTensor({i1, {2}})));
}

// The gradient is scaled by the numbers, with one replica and with two, on one device and on several.
TEST(Constants, TheGradientFlowsUnderEveryStrategy) {
  Graph g(5);
  Tensor x = g.input("x", f32, {4, 3}), w = g.variable("w", f32, {3}, Initializer::normal(0, 1));
  Tensor h = tanh(1 - x * w * 0.5) / 2 + g.constant(HostTensor({3}, {1.f, 2.f, 3.f})) * w;
  g.minimize(mean(h * h), {.learning_rate = 0.1});
  Batch b;
  b.emplace("x", HostTensor({4, 3}, {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f, .9f, 1.f, 1.1f, 1.2f}));
  Session exact = compile(g, {.devices = "reference:0", .f64 = true, .gradients = true});
  const HostTensor start = exact.variable("w");
  Outputs want = exact.run("train", b);
  for (int i = 0; i < 3; ++i) {  // by central differences
    double loss[2];
    for (int side : {0, 1}) {
      HostTensor moved = start;
      moved.as<double>()[i] += side ? 1e-6 : -1e-6;
      exact.set_variable("w", moved);
      loss[side] = exact.run("evaluate", b)["loss"].item<double>();
    }
    EXPECT_NEAR(want["gradient:w"].at(i), (loss[1] - loss[0]) / 2e-6, 1e-7);
  }
  struct {
    const char *devices, *strategy;
  } const setups[] = {{"cpu:0", ""},
                      {"reference:0,sim:0", "pipeline(2, micro_batches=1)"},
                      {"reference:0,sim:0", "data(2)"},
                      {"reference:0,sim:0,reference:1,sim:1", "data(2) * pipeline(2, micro_batches=1)"}};
  for (const auto& [devices, strategy] : setups) {
    Session s = compile(g, {.devices = devices, .strategy = strategy, .gradients = true});
    Outputs got = s.run("train", b);
    EXPECT_NEAR(got["loss"].item<double>(), want["loss"].item<double>(), 1e-6) << devices << " " << strategy;
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(got["gradient:w"].at(i), want["gradient:w"].at(i), 1e-6) << devices << " " << strategy;
    const VerifyResult verified =
        verify(g, {.devices = devices, .strategy = strategy}, std::vector<Batch>{b, b});
    EXPECT_TRUE(verified.same) << devices << " " << strategy << ": " << verified.first;
  }
}

}  // namespace
}  // namespace cutset
