// SPDX-License-Identifier: Apache-2.0
// Tests special values of <cutset/losses.h>, and its errors.
#include <cutset/losses.h>
#include <cutset/shapes.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/errors.h"
#include "tests/filled.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::filled;
using ::testing::HasSubstr;

using enum LossReduction;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Returns the elements of a loss of constants.
std::vector<double> values(const std::function<Tensor(Graph&)>& build) {
  Graph g;
  g.output("y", build(g));
  const HostTensor y = compile(g, {.devices = "reference:0"}).run("evaluate", {})["y"];
  std::vector<double> all;
  for (int64_t i = 0; i < y.elements(); ++i) all.push_back(y.at(i));
  return all;
}
const auto is_nan = ::testing::IsNan();

TEST(LossValues, OfLabelsThatAreNoClassAreNan) {
  const auto of = [](auto&& loss, std::vector<int32_t> labels) {
    return values([&](Graph& g) {
      return loss(g.constant(HostTensor({5, 2}, std::vector<float>(10, 0))),
                  g.constant(HostTensor({5}, labels)));
    });
  };
  const std::vector<int32_t> labels = {1, 2, -1, 7, -2};
  const double half = std::log(2.0);
  const auto near_half = ::testing::DoubleNear(half, 1e-6);
  EXPECT_THAT(of([](const Tensor& x,
                    const Tensor& y) { return cross_entropy(x, y, {.ignore_index = 7, .reduction = kNone}); },
                 labels),
              ElementsAre(near_half, is_nan, is_nan, 0, is_nan));
  EXPECT_THAT(of(
                  [](const Tensor& x, const Tensor& y) {
                    return cross_entropy(x, y,
                                         {.ignore_index = 7, .reduction = kNone, .label_smoothing = 0.5});
                  },
                  labels),
              ElementsAre(near_half, is_nan, is_nan, 0, is_nan));
  EXPECT_THAT(of([](const Tensor& x,
                    const Tensor& y) { return nll_loss(x, y, {.ignore_index = 7, .reduction = kNone}); },
                 labels),
              ElementsAre(0, is_nan, is_nan, 0, is_nan));
  EXPECT_THAT(of([](const Tensor& x, const Tensor& y) { return nll_loss(x, y, {.ignore_index = 1}); },
                 {1, 1, 1, 1, 1}),
              ElementsAre(is_nan))
      << "the mean of no elements";
  EXPECT_THAT(
      of([](const Tensor& x, const Tensor& y) { return nll_loss(x, y, {.ignore_index = int64_t{1} << 40}); },
         {1, 1, 1, 1, 1}),
      ElementsAre(0));
}

// f16 has no number above 65504, neither for the number of labels nor for the sum of their losses.
TEST(LossValues, OfMoreLabelsThanF16CanCount) {
  constexpr int64_t kLabels = 70'001;
  const auto mean_of = [](const auto& loss) {
    return values([&](Graph& g) {
      Tensor x = g.variable("x", filled(f32, {kLabels, 3}, [](int64_t i) { return i % 3 == 0 ? 2 : 0; }));
      // Half of the labels are 0, and half are 1, but the last one is ignored.
      Tensor y =
          g.variable("y", filled(i32, {kLabels}, [](int64_t i) { return i == kLabels - 1 ? -100 : i % 2; }),
                     {.trainable = false});
      return cast(loss(cast(x, {.dtype = f16}), y), {.dtype = f32});
    });
  };
  EXPECT_THAT(
      mean_of([](const Tensor& x, const Tensor& y) { return cross_entropy(x, y, {.ignore_index = -100}); }),
      ElementsAre(::testing::DoubleNear(std::log(std::exp(2.0) + 2) - 1, 1e-3)));
  // The divergence of halves from exp(-4), for 3 classes.
  EXPECT_THAT(mean_of([](const Tensor& x, const Tensor&) {
                const Tensor zero = ops::scale(x, {.factor = 0});
                return kl_div(zero - 4, zero + 0.5, {.reduction = LossReduction::kBatchMean});
              }),
              ElementsAre(::testing::DoubleNear(1.5 * (4 - std::log(2.0)), 4e-3)));
}

TEST(LossValues, OfTypesOfLabels) {
  for (const DType type : {i8, u8, i16, i32, i64, u64})
    EXPECT_THAT(values([&](Graph& g) {
                  return cross_entropy(g.constant(HostTensor({1, 2}, {0.0f, 0.0f})),
                                       g.constant(filled(type, {1}, [](int64_t) { return 1; })));
                }),
                ElementsAre(::testing::DoubleNear(std::log(2.0), 1e-6)))
        << name_of(type);
}

// An impossible class has the logit -infinity, and a probability of 0 makes it contribute nothing.
TEST(LossValues, OfImpossibleClassesAreFinite) {
  const auto logits = [](Graph& g) { return g.constant(HostTensor({1, 3}, {0.0f, -kInfinity, 0.0f})); };
  const auto target = [](Graph& g) { return g.constant(HostTensor({1, 3}, {0.5f, 0.0f, 0.5f})); };
  const auto log2 = ::testing::DoubleNear(std::log(2.0), 1e-6);
  EXPECT_THAT(values([&](Graph& g) { return cross_entropy(logits(g), target(g)); }), ElementsAre(log2));
  EXPECT_THAT(
      values([&](Graph& g) { return kl_div(log_softmax(logits(g)), target(g), {.reduction = kSum}); }),
      ElementsAre(::testing::DoubleNear(0, 1e-6)));
  EXPECT_THAT(values([&](Graph& g) {
                return kl_div(log_softmax(logits(g)), log(target(g)),
                              {.log_target = true, .reduction = kSum});
              }),
              ElementsAre(::testing::DoubleNear(0, 1e-6)));
  Graph g;
  const Tensor x = g.variable("x", f32, {1, 3}, Initializer::zeros());
  const Tensor masked = x + g.constant(HostTensor({1, 3}, {0.0f, -kInfinity, 0.0f}));
  const Tensor probabilities = g.constant(HostTensor({1, 3}, {1.0f, 0.0f, 0.0f}));
  g.minimize(cross_entropy(masked, probabilities) +
                 kl_div(log_softmax(masked), probabilities, {.reduction = kSum}) +
                 cross_entropy(masked, g.constant(HostTensor({1}, {0}))),
             {.learning_rate = 0});
  const Outputs out = compile(g, {.devices = "reference:0", .gradients = true}).train({});
  const HostTensor& gradient = out["gradient:x"];
  EXPECT_NEAR(gradient.at(0), -1.5, 1e-6);
  EXPECT_EQ(gradient.at(1), 0);
  EXPECT_NEAR(gradient.at(2), 1.5, 1e-6);
}

// 30 + softplus(-30) has no correct digit of softplus(-30) in f32.
TEST(LossValues, OfLargeLogitsAreExact) {
  const auto of = [](float logit, float target) {
    return values([&](Graph& g) {
      return binary_cross_entropy_with_logits(g.constant(HostTensor({1}, {logit})),
                                              g.constant(HostTensor({1}, {target})));
    })[0];
  };
  EXPECT_NEAR(of(-30, 0), std::exp(-30.0), 1e-6 * std::exp(-30.0));
  EXPECT_NEAR(of(30, 1), std::exp(-30.0), 1e-6 * std::exp(-30.0));
  EXPECT_EQ(of(30000, 0), 30000);
  EXPECT_EQ(of(-30000, 1), 30000);
}

TEST(LossErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 3}), y = g.input("y", i32, {4}), z = g.input("z", f32, {4}),
               w = g.input("w", f32, {4, 1}), scalar = g.input("s", f32, {}),
               flags = g.input("flags", i1, {4}), wide = g.input("wide", f64, {4, 3}),
               none = g.input("none", f32, {4, 0});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("cross_entropy of 4x3xf32 needs integer labels of the shape [4], not 4xi1",
                    cross_entropy(x, flags));
  EXPECT_ERROR_HERE("cross_entropy of 4xf32 needs integer labels of the shape []", cross_entropy(z, y));
  EXPECT_ERROR_HERE("cross_entropy of f32 needs a floating-point type and a dimension",
                    cross_entropy(scalar, y));
  EXPECT_ERROR_HERE("a dimension of one class or more", cross_entropy(none, y));
  EXPECT_ERROR_HERE("probabilities of the same type", cross_entropy(x, z));
  EXPECT_ERROR_HERE("a class_axis from -2 to 1, not 2", cross_entropy(x, y, {.class_axis = 2}));
  EXPECT_ERROR_HERE("a class_axis from -2 to 1, not -3", nll_loss(x, y, {.class_axis = -3}));
  EXPECT_ERROR_HERE("integer labels of the shape [3], not 4xi32; dimension 0 has the classes",
                    cross_entropy(x, y, {.class_axis = 0}));
  EXPECT_ERROR_HERE("cross_entropy of f32 needs a floating-point type and a dimension",
                    cross_entropy(scalar, y, {.class_axis = 0}));
  EXPECT_ERROR_HERE("without an index to ignore", cross_entropy(x, x, {.ignore_index = 0}));
  EXPECT_ERROR_HERE("label_smoothing from 0 to 1, not 1.5", cross_entropy(x, y, {.label_smoothing = 1.5}));
  EXPECT_ERROR_HERE("label_smoothing from 0 to 1, not nan",
                    cross_entropy(x, y, {.label_smoothing = std::nan("")}));
  EXPECT_ERROR_HERE("weights of the type 3xf32, not 4xf32", cross_entropy(x, y, {.weight = z}));
  EXPECT_ERROR_HERE("nll_loss of 4x3xf32 needs integer labels", nll_loss(x, z));
  EXPECT_ERROR_HERE("empty Tensor", nll_loss(x, Tensor()));
  EXPECT_ERROR_HERE("empty Tensor", mse_loss(Tensor(), x));
  EXPECT_ERROR_HERE("mse_loss of 4xf32 needs a target of the same floating-point type and shape, not 4x1xf32",
                    mse_loss(z, w));
  EXPECT_ERROR_HERE("l1_loss of 4x3xf32 needs a target", l1_loss(x, wide));
  EXPECT_ERROR_HERE("a delta above 0", huber_loss(x, x, {.delta = 0}));
  EXPECT_ERROR_HERE("a beta that is not negative", smooth_l1_loss(x, x, {.beta = -1}));
  EXPECT_ERROR_HERE("weights that broadcast to the logits",
                    binary_cross_entropy_with_logits(w, w, {.weight = x}));
  EXPECT_ERROR_HERE("a loss with the reduction kBatchMean of f32 needs a batch",
                    mse_loss(scalar, scalar, kBatchMean));
  EXPECT_ERROR_HERE("a reduction that exists", mse_loss(x, x, static_cast<LossReduction>(9)));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset
