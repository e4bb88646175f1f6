// SPDX-License-Identifier: Apache-2.0
// Tests <cutset/losses.h>: values and gradients against PyTorch.
#include <cutset/losses.h>
#include <cutset/shapes.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/errors.h"
#include "tests/filled.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::filled;
using ::testing::HasSubstr;

using enum LossReduction;
constexpr int64_t kIgnored = -100;
const Shape rows = {4, 3}, images = {2, 3, 2}, one = {3};

struct KnownLoss {
  std::string loss;
  double value;
  std::vector<double> gradient;
};
const std::vector<KnownLoss>& known_losses() {
  static const std::vector<KnownLoss> all = {
#include "tests/equivalence/values/loss_values.inc"
  };
  return all;
}

// Returns the operands of loss_values.py. All their numbers are exact in f32.
HostTensor numbers(DType type, const Shape& shape) {
  return filled(type, shape, [](int64_t i) { return 0.5 * static_cast<double>(7 * i % 11 - 5); });
}

// Makes the operands of a loss except x.
struct Operands {
  Graph& g;

  Tensor others(const Shape& s) const {
    return g.constant(
        filled(f32, s, [](int64_t i) { return 0.25 * static_cast<double>((5 * i + 2) % 13 - 6); }));
  }
  Tensor parts(const Shape& s) const {
    return g.constant(filled(f32, s, [](int64_t i) { return 0.25 * static_cast<double>(3 * i % 5); }));
  }
  Tensor labels(const Shape& s, bool ignored = false) const {
    return g.constant(filled(i64, s, [=](int64_t i) {
      return ignored && i % 3 == 1 ? -100.0 : static_cast<double>((2 * i + 1) % 3);
    }));
  }
  Tensor weight() const { return g.constant(HostTensor({3}, {0.5f, 2.0f, 1.25f})); }
  // Returns the sum of the losses times 1, 2, 3 and so on.
  Tensor weighted(const Tensor& losses) const {
    return sum(losses *
               g.constant(filled(f32, losses.shape(), [](int64_t i) { return static_cast<double>(i + 1); })));
  }
};

struct LossCase {
  Shape shape;
  std::function<Tensor(const Tensor&, const Operands&)> build;
};
// Returns the losses of loss_values.py, by their names in this script.
const std::map<std::string, LossCase>& cases() {
  using T = const Tensor&;
  using O = const Operands&;
  static const std::map<std::string, LossCase> all = {
      {"nll", {rows, [](T x, O o) { return nll_loss(x, o.labels({4})); }}},
      {"nll_weight", {rows, [](T x, O o) { return nll_loss(x, o.labels({4}), {.weight = o.weight()}); }}},
      {"nll_ignored",
       {rows, [](T x, O o) { return nll_loss(x, o.labels({4}, true), {.ignore_index = kIgnored}); }}},
      {"nll_sum",
       {rows,
        [](T x, O o) { return nll_loss(x, o.labels({4}), {.weight = o.weight(), .reduction = kSum}); }}},
      {"nll_none",
       {images,
        [](T x, O o) {
          return o.weighted(nll_loss(x, o.labels({2, 2}, true),
                                     {.weight = o.weight(), .ignore_index = kIgnored, .reduction = kNone}));
        }}},
      {"nll_one", {one, [](T x, O o) { return nll_loss(x, o.labels({})); }}},
      {"cross_entropy", {rows, [](T x, O o) { return cross_entropy(x, o.labels({4})); }}},
      {"cross_entropy_weight",
       {rows, [](T x, O o) { return cross_entropy(x, o.labels({4}), {.weight = o.weight()}); }}},
      {"cross_entropy_ignored",
       {rows, [](T x, O o) { return cross_entropy(x, o.labels({4}, true), {.ignore_index = kIgnored}); }}},
      {"cross_entropy_class_1_ignored",
       {rows,
        [](T x, O o) { return cross_entropy(x, o.labels({4}), {.weight = o.weight(), .ignore_index = 1}); }}},
      {"cross_entropy_smooth",
       {rows, [](T x, O o) { return cross_entropy(x, o.labels({4}), {.label_smoothing = 0.1}); }}},
      {"cross_entropy_all",
       {rows,
        [](T x, O o) {
          return cross_entropy(x, o.labels({4}, true),
                               {.weight = o.weight(), .ignore_index = kIgnored, .label_smoothing = 0.25});
        }}},
      {"cross_entropy_images",
       {images,
        [](T x, O o) {
          return cross_entropy(x, o.labels({2, 2}, true),
                               {.weight = o.weight(), .ignore_index = kIgnored, .label_smoothing = 0.25});
        }}},
      {"cross_entropy_sum",
       {images,
        [](T x, O o) {
          return cross_entropy(x, o.labels({2, 2}), {.weight = o.weight(), .reduction = kSum});
        }}},
      {"cross_entropy_none",
       {images,
        [](T x, O o) {
          return o.weighted(
              cross_entropy(x, o.labels({2, 2}, true), {.ignore_index = kIgnored, .reduction = kNone}));
        }}},
      {"cross_entropy_one",
       {one, [](T x, O o) { return cross_entropy(x, o.labels({}), {.label_smoothing = 0.1}); }}},
      {"cross_entropy_large", {rows, [](T x, O o) { return cross_entropy(x * 1000, o.labels({4})); }}},
      {"cross_entropy_parts", {rows, [](T x, O o) { return cross_entropy(x, o.parts(rows)); }}},
      {"cross_entropy_parts_weight",
       {images,
        [](T x, O o) {
          return cross_entropy(x, o.parts(images), {.weight = o.weight(), .label_smoothing = 0.1});
        }}},
      {"binary", {rows, [](T x, O o) { return binary_cross_entropy_with_logits(x, o.parts(rows)); }}},
      {"binary_weights",
       {rows,
        [](T x, O o) {
          return binary_cross_entropy_with_logits(x, o.parts(rows),
                                                  {.weight = o.weight(), .pos_weight = o.weight() * 2});
        }}},
      {"binary_large",
       {rows,
        [](T x, O o) {
          return binary_cross_entropy_with_logits(x * 1000, o.parts(rows), {.reduction = kSum});
        }}},
      {"mse", {rows, [](T x, O o) { return mse_loss(x, o.others(rows)); }}},
      {"mse_sum", {rows, [](T x, O o) { return mse_loss(x, o.others(rows), kSum); }}},
      {"l1", {rows, [](T x, O o) { return l1_loss(x, o.others(rows)); }}},
      {"huber", {rows, [](T x, O o) { return huber_loss(x, o.others(rows), {.delta = 0.7}); }}},
      {"huber_none",
       {rows,
        [](T x, O o) {
          return o.weighted(huber_loss(x, o.others(rows), {.delta = 1.2, .reduction = kNone}));
        }}},
      {"smooth_l1", {rows, [](T x, O o) { return smooth_l1_loss(x, o.others(rows), {.beta = 0.7}); }}},
      {"smooth_l1_sharp", {rows, [](T x, O o) { return smooth_l1_loss(x, o.others(rows), {.beta = 0}); }}},
      {"kl_div", {rows, [](T x, O o) { return kl_div(x, o.parts(rows)); }}},
      {"kl_div_batch_mean",
       {rows, [](T x, O o) { return kl_div(x, o.parts(rows), {.reduction = kBatchMean}); }}},
      {"kl_div_log",
       {rows, [](T x, O o) { return kl_div(x, o.others(rows), {.log_target = true, .reduction = kSum}); }}},
  };
  return all;
}

Graph graph_of(const LossCase& c) {
  Graph g;
  g.minimize(c.build(g.variable("x", f32, c.shape, Initializer::uniform(-2, 2)), {g}), {.learning_rate = 0});
  return g;
}

// Compares the value and the gradient of a loss with PyTorch's, up to `bound` of the largest element.
void compare(const KnownLoss& want, const LossCase& c, const CompileOptions& options, double bound) {
  Session session = compile(graph_of(c), options);
  session.set_variable("x", numbers(options.f64 ? f64 : f32, c.shape));
  const Outputs got = session.train({});
  EXPECT_NEAR(got["loss"].at(0), want.value, bound * std::fmax(1, std::fabs(want.value))) << want.loss;
  const HostTensor& gradient = got["gradient:x"];
  ASSERT_EQ(gradient.elements(), static_cast<int64_t>(want.gradient.size())) << want.loss;
  double largest = 1;
  for (const double v : want.gradient) largest = std::fmax(largest, std::fabs(v));
  for (int64_t i = 0; i < gradient.elements(); ++i)
    EXPECT_NEAR(gradient.at(i), want.gradient[static_cast<size_t>(i)], bound * largest)
        << want.loss << ", " << i;
}

void compare_all(const CompileOptions& options, double bound) {
  ASSERT_EQ(known_losses().size(), cases().size());
  for (const KnownLoss& want : known_losses()) compare(want, cases().at(want.loss), options, bound);
}

struct Losses : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Losses);

TEST_P(Losses, AreThoseOfPyTorch) { compare_all({.devices = device(), .gradients = true}, 2e-6); }

TEST(LossesInDouble, AreThoseOfPyTorch) {
  compare_all({.devices = "reference:0", .f64 = true, .gradients = true}, 1e-14);
}

// Compares with PyTorch when the classes are another dimension than dimension 1.
TEST(LossesInDouble, OfClassesAlongAnyDimension) {
  using T = const Tensor&;
  using O = const Operands&;
  for (const int64_t axis : {0, 1, 2, -1, -2, -3}) {
    const std::map<std::string, std::function<Tensor(T, O)>> losses = {
        {"nll_none",
         [=](T x, O o) {
           return o.weighted(nll_loss(
               move_axis(x, 1, axis), o.labels({2, 2}, true),
               {.weight = o.weight(), .ignore_index = kIgnored, .reduction = kNone, .class_axis = axis}));
         }},
        {"cross_entropy_images",
         [=](T x, O o) {
           return cross_entropy(
               move_axis(x, 1, axis), o.labels({2, 2}, true),
               {.weight = o.weight(), .ignore_index = kIgnored, .label_smoothing = 0.25, .class_axis = axis});
         }},
        {"cross_entropy_parts_weight", [=](T x, O o) {
           return cross_entropy(move_axis(x, 1, axis), move_axis(o.parts(images), 1, axis),
                                {.weight = o.weight(), .label_smoothing = 0.1, .class_axis = axis});
         }}};
    for (const auto& [name, build] : losses) {
      SCOPED_TRACE(name + " " + std::to_string(axis));
      const auto want = std::ranges::find(known_losses(), name, &KnownLoss::loss);
      compare(*want, {images, build}, {.devices = "reference:0", .f64 = true, .gradients = true}, 1e-14);
    }
  }
}

TEST(LossGradients, AgreeWithDifferences) {
  for (const auto& [name, c] : cases())
    if (!name.ends_with("_large")) {
      EXPECT_GRADIENTS(graph_of(c)) << name;
    }
}

}  // namespace
}  // namespace cutset
