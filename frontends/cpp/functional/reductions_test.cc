// SPDX-License-Identifier: Apache-2.0
// Tests <cutset/reductions.h> and <cutset/normalizations.h>: values against formulas in f64, special values,
// gradients, and errors.
#include <cutset/cutset.h>
#include <cutset/normalizations.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/onnx_ops/reductions.h>
#include <cutset/reductions.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

using Build = std::function<Tensor(const Tensor&)>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<double> values(const Shape& shape, const std::vector<float>& elements, const Build& build) {
  Graph g;
  g.output("y", build(g.input("x", f32, shape, {.batch_dimension = std::nullopt})));
  Session session = compile(g, {.devices = "reference:0"});
  Batch batch;
  batch.emplace("x", HostTensor(shape, elements));
  const HostTensor y = session.run("evaluate", batch)["y"];
  std::vector<double> all;
  for (int64_t i = 0; i < y.elements(); ++i) all.push_back(y.at(i));
  return all;
}
auto near(const std::vector<double>& expected) { return Pointwise(::testing::DoubleNear(1e-5), expected); }

TEST(Reductions, Values) {
  const auto of = [](const Build& build) { return values({2, 2}, {3, -4, 0.5f, 0}, build); };
  EXPECT_THAT(of([](auto& x) { return onnx_ops::sum_square(x, {1}); }), near({25, 0.25}));
  EXPECT_THAT(of([](auto& x) { return l1_norm(x, {0}); }), near({3.5, 4}));
  EXPECT_THAT(of([](auto& x) { return l2_norm(x, {-1}, true); }), near({5, 0.5}));
  EXPECT_THAT(of([](auto& x) { return onnx_ops::log_sum(abs(x)); }), near({std::log(7.5)}));
  EXPECT_THAT(of([](auto& x) { return log_sum_exp(x, {1}); }),
              near({std::log(std::exp(3.) + std::exp(-4.)), std::log(std::exp(0.5) + 1)}));
  EXPECT_THAT(of([](auto& x) { return variance(x, {1}); }), near({12.25, 0.0625}));
}

TEST(Reductions, LogSumExpOfSpecialValues) {
  const auto of = [](const Shape& shape, const std::vector<float>& x) {
    return values(shape, x, [](auto& t) { return log_sum_exp(t, {1}); });
  };
  EXPECT_THAT(of({1, 2}, {100, 100}), near({100 + std::log(2.)}));
  EXPECT_THAT(of({3, 2}, {-kInfinity, -kInfinity, kInfinity, 1, -kInfinity, 2}),
              ElementsAre(-kInfinity, kInfinity, DoubleNear(2, 1e-6)));
  EXPECT_TRUE(std::isnan(of({1, 2}, {NAN, kInfinity})[0]));
  EXPECT_THAT(of({1, 0}, {}), ElementsAre(-kInfinity));
}

TEST(Normalizations, Values) {
  const auto of = [](const Shape& shape, const std::vector<float>& x, const Build& build) {
    return values(shape, x, build);
  };
  EXPECT_THAT(
      of({1, 4}, {1, 3, 5, 9}, [](auto& x) { return onnx_ops::mean_variance_norm(x, {1}, 0); }),
      near({-3.5 / std::sqrt(8.75), -1.5 / std::sqrt(8.75), 0.5 / std::sqrt(8.75), 4.5 / std::sqrt(8.75)}));
  const Build groups = [](auto& x) {
    const Tensor one = reshape(mean(x, {0, 2}) * 0 + 1, {.shape = {4}});
    return group_norm(x, one * 2, one, 2, 0);
  };
  // The groups are the pairs (1, 3) and (5, 9), which become -1 and 1 before scale and bias.
  EXPECT_THAT(of({1, 4, 1}, {1, 3, 5, 9}, groups), near({-1, 3, -1, 3}));
  const Build instances = [](auto& x) {
    const Tensor one = mean(x, {0, 2}) * 0 + 1;
    return instance_norm(x, one, one * 0, 0);
  };
  EXPECT_THAT(of({1, 2, 2}, {1, 3, 5, 9}, instances), near({-1, 1, -1, 1}));
  EXPECT_THAT(of({1, 2}, {3, 4}, [](auto& x) { return rms_norm(x, constant(x, 2), -1, 0); }),
              near({6 / std::sqrt(12.5), 8 / std::sqrt(12.5)}));
  // Three channels with a window of 2: the channel and the channel before it in PyTorch, or the channel after
  // it in ONNX.
  EXPECT_THAT(of({1, 3}, {1, 2, 3}, [](auto& x) { return local_response_norm(x, 2, 2, 1, 1); }),
              near({1. / 2, 2. / 6, 3. / 14}));
  EXPECT_THAT(of({1, 3}, {1, 2, 3}, [](auto& x) { return onnx_ops::local_response_norm(x, 2, 2, 1, 1); }),
              near({1. / 6, 2. / 14, 3. / 10}));
  EXPECT_THAT(of({2, 2}, {3, -4, 0, 0}, [](auto& x) { return onnx_ops::lp_normalize(x); }),
              near({0.6, -0.8, 0, 0}));
  EXPECT_THAT(of({1, 2}, {3, -1}, [](auto& x) { return onnx_ops::lp_normalize(x, 1, 1); }),
              near({0.75, -0.25}));
}

TEST(Reductions, Gradients) {
  const std::vector<Build> all = {
      [](auto& x) { return onnx_ops::sum_square(x, {1}); },
      [](auto& x) { return l1_norm(x, {0, 2}); },
      [](auto& x) { return l2_norm(x, {1}, true); },
      [](auto& x) { return onnx_ops::log_sum(x * x + 1, {1}); },
      [](auto& x) { return log_sum_exp(x, {1}); },
      [](auto& x) { return variance(x, {0}); },
      [](auto& x) { return onnx_ops::mean_variance_norm(x, {0, 2}, 0.1); },
      [](auto& x) { return group_norm(x, mean(x, {0, 2}), mean(x * x, {0, 2}), 2, 0.1); },
      [](auto& x) { return instance_norm(x, mean(x, {0, 2}), mean(x * x, {0, 2}), 0.1); },
      [](auto& x) { return rms_norm(x, mean(x, {0, 1}), 1, 0.1); },
      [](auto& x) { return local_response_norm(x, 3, 0.5, 0.75, 1); },
      [](auto& x) { return onnx_ops::lp_normalize(x, 1, 2) + onnx_ops::lp_normalize(x, 1, 1); },
  };
  for (size_t i = 0; i < all.size(); ++i) {
    Graph g(i);
    const Tensor y = all[i](g.variable("w", f32, {2, 4, 3}, Initializer::uniform(-1, 1)));
    g.minimize(mean(y * y * y), {.learning_rate = 0.1});
    EXPECT_GRADIENTS(g) << "entry " << i;
  }
}

// Epsilon is added to the variance or to the mean of the squares, under the root.
TEST(Normalizations, Epsilon) {
  const Build groups = [](auto& x) {
    const Tensor one = mean(x, {0, 2}) * 0 + 1;
    return group_norm(x, one, one * 0, 1, 3);
  };
  const Build instances = [](auto& x) {
    const Tensor one = mean(x, {0, 2}) * 0 + 1;
    return instance_norm(x, one, one * 0, 3);
  };
  EXPECT_THAT(values({1, 2}, {4, 6}, [](auto& x) { return onnx_ops::mean_variance_norm(x, {1}, 3); }),
              near({-0.5, 0.5}));
  EXPECT_THAT(values({1, 2, 1}, {4, 6}, groups), near({-0.5, 0.5}));
  EXPECT_THAT(values({1, 1, 2}, {4, 6}, instances), near({-0.5, 0.5}));
  EXPECT_THAT(values({1, 2}, {1, 1}, [](auto& x) { return rms_norm(x, constant(x, 2), -1, 3); }),
              near({1, 1}));
  // The defaults keep a line of equal elements finite.
  EXPECT_THAT(values({1, 2}, {4, 4}, [](auto& x) { return onnx_ops::mean_variance_norm(x, {1}); }),
              near({0, 0}));
}

TEST(Normalizations, Mistakes) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 4, 3}), four = g.input("four", f32, {4}),
               ids = g.input("ids", i32, {2, 4});
  EXPECT_ERROR_HERE("group_norm of 2x4x3xf32 needs a number of groups", group_norm(x, four, four, 3));
  EXPECT_ERROR_HERE("one element per channel", group_norm(x, four, mean(x, {0, 1}), 2));
  EXPECT_ERROR_HERE("p = 1 or p = 2, not 3", onnx_ops::lp_normalize(x, 1, 3));
  EXPECT_ERROR_HERE("a size of 1 or more", local_response_norm(x, 0));
  EXPECT_ERROR_HERE("a size of 1 or more", onnx_ops::local_response_norm(x, 0));
  EXPECT_ERROR_HERE("needs an axis from -3 to 2, not 3", rms_norm(x, four, 3));
  EXPECT_THAT(testing::error_of([&] { log_sum_exp(ids); }), HasSubstr("floating-point type"));
}

}  // namespace
}  // namespace cutset
