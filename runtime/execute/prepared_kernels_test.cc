// SPDX-License-Identifier: Apache-2.0
// Equal kernels of a program are prepared once, and different kernels are not confused.
#include "runtime/execute/prepared_kernels.h"

#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

// Runs x -> tanh applied `count` times on a device whose `prepare` fails at call `fails_at`.
std::string run(int count, int fails_at, bool other_shape = false) {
  Graph g;
  Tensor x = g.input("x", f32, {5}), y = x;
  for (int i = 0; i < count; ++i) y = tanh(y);
  g.output("y", y);
  if (other_shape) g.output("z", tanh(g.input("w", f32, {7})));
  setenv("CUTSET_SIMULATED_FAULTS", ("prepare/tanh=" + std::to_string(fails_at)).c_str(), 1);
  const std::string error = error_of([&] {
    Session session = compile(g, {.devices = "sim:0"});
    Batch batch;
    batch.emplace("x", HostTensor({f32, {5}}));
    batch["x"].as<float>()[0] = 0.5f;
    if (other_shape) batch.emplace("w", HostTensor({f32, {7}}));
    double want = 0.5;
    for (int i = 0; i < count; ++i) want = std::tanh(want);
    EXPECT_NEAR(session.evaluate(batch).at("y").at(0), want, 1e-6);
  });
  unsetenv("CUTSET_SIMULATED_FAULTS");
  return error;
}

TEST(PreparedKernels, EqualProblemsShareAPlan) {
  EXPECT_EQ(run(30, 2), "no error") << "a second plan was prepared for the same problem";
  EXPECT_THAT(run(30, 1),
              HasSubstr("sim:0: cannot prepare tanh.reference: prepare fails on request (call 1)"));
  EXPECT_THAT(run(30, 2, true), HasSubstr("prepare fails on request (call 2)"))
      << "two shapes need two plans";
}

// 0.0 == -0.0, but they are different factors.
TEST(PreparedKernels, AttributesAreComparedByTheirBits) {
  Graph g;
  Tensor x = g.input("x", f32, {2});
  for (auto [name, factor] : {std::pair("zero", 0.0), std::pair("negative", -0.0), std::pair("two", 2.0)})
    g.output(name, ops::scale(x, {.factor = factor}));
  for (const char* device : {"reference:0", "sim:0"}) {
    Session session = compile(g, {.devices = device});
    Batch batch;
    batch.emplace("x", HostTensor({f32, {2}}));
    batch["x"].as<float>()[0] = batch["x"].as<float>()[1] = 3;
    const auto results = session.evaluate(batch);
    EXPECT_FALSE(std::signbit(results.at("zero").at(0))) << device;
    EXPECT_TRUE(std::signbit(results.at("negative").at(0))) << device;
    EXPECT_EQ(results.at("two").at(1), 6) << device;
  }
}

TEST(PreparedKernels, AttributesAndTypesMakeADifference) {
  Graph g;
  Tensor x = g.input("x", f32, {2, 2});
  g.output("rows", sum(x, {0}));
  g.output("columns", sum(x, {1}));
  g.output("kept", sum(x, {0}, true));
  g.output("half", x * 0.5);
  g.output("third", x * 3.0);
  for (const char* device : {"reference:0", "cpu:0", "sim:0"}) {
    Session session = compile(g, {.devices = device});
    Batch batch;
    batch.emplace("x", HostTensor({f32, {2, 2}}));
    for (int i = 0; i < 4; ++i) batch["x"].as<float>()[static_cast<size_t>(i)] = static_cast<float>(i + 1);
    const auto results = session.evaluate(batch);
    EXPECT_EQ(results.at("rows").at(0), 4) << device;
    EXPECT_EQ(results.at("columns").at(0), 3) << device;
    EXPECT_EQ(results.at("kept").type(), (TensorType{f32, {1, 2}})) << device;
    EXPECT_EQ(results.at("half").at(3), 2) << device;
    EXPECT_EQ(results.at("third").at(3), 12) << device;
  }
}

}  // namespace
}  // namespace cutset
