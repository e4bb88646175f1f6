// SPDX-License-Identifier: Apache-2.0
// Tests the layers that are made of several ops: their values, their gradients through the statistics, and
// their variables.
#include <cutset/cutset.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/core/philox.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

HostTensor uniform_numbers(const Shape& shape, double low, double high) {
  HostTensor t({f32, shape});
  PhiloxSequence random(3, 1);
  for (int64_t i = 0; i < t.type().elements(); ++i) t.set(i, low + (high - low) * random.unit());
  return t;
}

TEST(Layers, HaveGradientsThroughTheStatistics) {
  EXPECT_GRADIENTS(normalized_loss(5, 2), noise(5, 2, 0), 6);
  EXPECT_GRADIENTS(attention_loss(3, 2), noise(3, 2, 0), 4);
}

// In f32, the mean of the squares minus the square of the mean would have no correct digit here.
TEST(Layers, NormalizeNumbersFarFromZero) {
  for (const char* device : {"reference:0", "cpu:0", "opencl:0"}) {
    if (!have(device)) continue;
    Graph g;
    Tensor x = g.input("x", f32, {16, 3, 8, 8});
    g.output("batch", nn::batch_norm("b", x, {.epsilon = 0, .running_statistics = false}));
    g.output("layer", nn::layer_norm("l", reshape(x, {.shape = {0, 3, 64}}), {.epsilon = 0}));
    Session session = compile(g, {.devices = device});
    auto results = session.run("evaluate", {{"x", uniform_numbers({16, 3, 8, 8}, 2999, 3001)}});
    for (const char* name : {"batch", "layer"}) {
      const HostTensor& y = results.at(name);
      double sum = 0, squares = 0;
      const auto n = static_cast<double>(y.type().elements());
      for (int64_t i = 0; i < y.type().elements(); ++i) {
        sum += y.at(i);
        squares += y.at(i) * y.at(i);
      }
      EXPECT_NEAR(sum / n, 0, 2e-3) << device << ", " << name;
      EXPECT_NEAR(squares / n, 1, 2e-3) << device << ", " << name;
    }
  }
}

TEST(Layers, BeginAsInPyTorch) {
  Graph g;
  Tensor ids = g.input("ids", i32, {4, 50}), x = nn::embedding("e", ids, {.vocabulary = 500, .width = 40});
  EXPECT_EQ(x.shape(), (Shape{4, 50, 40}));
  g.output("y", nn::layer_norm("l", nn::batch_norm("b", x, {.running_statistics = false})));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_EQ(session.variables(),
            (std::vector<std::string>{"b.bias", "b.weight", "e.weight", "l.bias", "l.weight"}));
  for (const char* name : {"b", "l"}) {
    const int64_t size = std::string(name) == "b" ? 50 : 40;
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(session.variable(std::string(name) + ".weight").at(i), 1);
      ASSERT_EQ(session.variable(std::string(name) + ".bias").at(i), 0);
    }
  }
  const HostTensor table = session.variable("e.weight");
  ASSERT_EQ(table.type(), (TensorType{f32, {500, 40}}));
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < table.type().elements(); ++i) {
    sum += table.at(i);
    squares += table.at(i) * table.at(i);
  }
  EXPECT_NEAR(sum / 20'000, 0, 0.03);
  EXPECT_NEAR(squares / 20'000, 1, 0.05);
}

// The result for a row that does not exist is NaN, so the step is not committed.
TEST(Layers, AnIdThatIsNotInTheTableEndsTheStep) {
  for (const char* device : {"reference:0", "cpu:0", "opencl:0"}) {
    if (!have(device)) continue;
    Graph g;
    Tensor ids = g.input("ids", i32, {3});
    g.minimize(mean(tanh(nn::embedding("e", ids, {.vocabulary = 5, .width = 2}))), {.learning_rate = 0.1});
    Session session = compile(g, {.devices = device});
    HostTensor good({i32, {3}}), bad({i32, {3}});
    for (int64_t i = 0; i < 3; ++i) {
      good.set(i, static_cast<double>(i) - 1);
      bad.set(i, 4.0 + static_cast<double>(i));
    }
    session.train({{"ids", good}});  // the id -1 is the last row
    const HostTensor before = session.variable("e.weight");
    EXPECT_THROW(session.train({{"ids", bad}}), Error) << device;
    EXPECT_EQ(session.variable("e.weight"), before) << device;
  }
}

TEST(Layers, ThatCannotBeMadeSayWhy) {
  auto error = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  Graph g;
  Tensor x = g.input("x", f32, {4, 3}), ids = g.input("ids", i32, {4}), row = g.input("row", f32, {4});
  using ::testing::HasSubstr;
  EXPECT_THAT(error([&] { nn::embedding("e", ids, {.width = 4}); }),
              HasSubstr("embedding 'e' has vocabulary = 0"));
  EXPECT_THAT(error([&] { nn::embedding("e", ids, {.vocabulary = 4}); }),
              HasSubstr("embedding 'e' has width = 0"));
  EXPECT_THAT(error([&] { nn::embedding("e", x, {.vocabulary = 4, .width = 2}); }),
              HasSubstr("C1: the indices have type f32"));
  EXPECT_THAT(error([&] { nn::batch_norm("b", row); }), HasSubstr("needs rank 2 or more"));
  EXPECT_THAT(error([&] { nn::layer_norm("l", x, {.epsilon = -1}); }), HasSubstr("C4"));
  EXPECT_THAT(error([&] { nn::layer_norm("l", Tensor()); }), HasSubstr("empty Tensor"));
  nn::embedding("e", ids, {.vocabulary = 4, .width = 2});  // the calls that failed have no effect
  nn::layer_norm("l", x);
}

}  // namespace
}  // namespace cutset::testing
