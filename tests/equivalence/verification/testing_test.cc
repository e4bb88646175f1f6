// SPDX-License-Identifier: Apache-2.0
// Tests that the macros of <cutset/testing.h>, with which users test their graphs, fail if and only if a
// graph is wrong.
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "ir/core/op/op_info.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Slope slope(double gradient, const std::function<double(double)>& loss) {
  double difference;
  return slope_is(gradient, 1e-8, loss, &difference);
}

TEST(Slopes, AWrongGradientDiffersWhateverTheLoss) {
  const auto smooth = [](double h) { return std::exp(0.3 + h); };
  EXPECT_EQ(slope(std::exp(0.3), smooth), Slope::kHolds);
  EXPECT_EQ(slope(1.001 * std::exp(0.3), smooth), Slope::kDiffers);
  EXPECT_EQ(slope(0, smooth), Slope::kDiffers);
  EXPECT_EQ(slope(kNan, smooth), Slope::kDiffers);
  EXPECT_EQ(slope(1, [](double) { return kNan; }), Slope::kDiffers);
}

TEST(Slopes, OnlyAKinkIsLeftOut) {
  for (const double at : {8e-6, 3e-7, 9e-8, 6e-8, 2e-8, -2e-8, -9e-8, -4e-6}) {
    const auto kinked = [&](double h) { return 2 + (h > at ? 3 * (h - at) : 0) + 0.5 * h; };
    const double right = at < 0 ? 3.5 : 0.5;
    EXPECT_NE(slope(right, kinked), Slope::kDiffers) << at;
    EXPECT_EQ(slope(5, kinked), Slope::kDiffers) << at;
    EXPECT_EQ(slope(-0.1, kinked), Slope::kDiffers) << at;
    EXPECT_EQ(slope(kNan, kinked), Slope::kDiffers) << at;
  }
  const auto absolute = [](double h) { return std::abs(h); };
  EXPECT_EQ(slope(0, absolute), Slope::kHolds);  // 0 is the mean of the slopes on both sides
  EXPECT_EQ(slope(0.5, absolute), Slope::kKink);
  EXPECT_EQ(slope(1, absolute), Slope::kKink);
  EXPECT_EQ(slope(1.1, absolute), Slope::kDiffers);
}

// A loss with large rounding errors needs large steps.
TEST(Slopes, ALargeLossHidesNoWrongGradient) {
  for (const double loss : {1e2, 1e4, 1e5}) {
    const auto shifted = [&](double h) { return loss + std::sin(0.1 * h); };
    EXPECT_EQ(slope(0, shifted), loss < 1e5 ? Slope::kDiffers : Slope::kUnknown) << loss;
    EXPECT_NE(slope(0.1, shifted), Slope::kDiffers) << loss;
  }
}

// Returns a graph with loss = sum(relu(w + x)) and w = 0. The gradient of each element is the derivative of
// relu at x.
Graph relus(int64_t n) {
  Graph g;
  Tensor w = g.variable("w", f32, {n}, Initializer::zeros()), x = g.input("x", f32, {n});
  g.minimize(sum(relu(w + x)), {});
  return g;
}
Batch of(const std::vector<double>& values) {
  HostTensor x({f64, {static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), x.as<double>().begin());
  return {{"x", x}};
}

TEST(Gradients, KinksOfReluAreNotReported) {
  EXPECT_GRADIENTS(relus(6), of({8e-6, -8e-6, 0.5, -0.5, 3e-8, 0}));
  const auto kinks = gradients_hold(relus(2), of({0, 0}));
  EXPECT_FALSE(kinks);
  EXPECT_THAT(kinks.text, HasSubstr("no element of a gradient was compared; 2 elements lie at a kink"));
}

TEST(Gradients, NaNIsNotAccepted) {
  Graph g;
  Tensor w = g.variable("w", f32, {3}, Initializer::zeros());
  g.minimize(sum(sqrt(w * w)), {});
  EXPECT_FALSE(gradients_hold(g));
}

TEST(Gradients, ReachThroughOneHot) {
  Graph g(3);
  Tensor ids = g.input("ids", i32, {8, 4}), label = g.input("label", i32, {8, 4});
  Tensor table = g.variable("table", f32, {7, 5}, Initializer::normal(0, 1));
  Tensor logits = matmul(one_hot(ids, {.depth = 7}), table);
  g.minimize(
      mean(softmax_cross_entropy(reshape(logits, {.shape = {-1, 5}}), reshape(label, {.shape = {-1}}))), {});
  EXPECT_GRADIENTS(g);
}

// Makes the gradient of tanh 1 % too large while it lives.
class WrongGradientOfTanh {
 public:
  WrongGradientOfTanh() { tanh_.gradient = wrong; }
  ~WrongGradientOfTanh() { tanh_.gradient = right_; }
  WrongGradientOfTanh(const WrongGradientOfTanh&) = delete;

 private:
  static GraphValues wrong(GradientBuilder& b, const void* attributes, const Differentiated& op) {
    return {b("scale", {right_(b, attributes, op).at(0)}, {{"factor", 1.01}})};
  }
  static inline OpInfo& tanh_ = const_cast<OpInfo&>(*find_op("tanh"));
  static inline const auto right_ = tanh_.gradient;
};

// A graph, and a function that changes the first hidden layer. The change is different during training, or
// stops gradients.
struct Trained {
  const char* what;
  std::function<Tensor(Graph&, const Tensor&)> hidden;
  std::function<void(Graph&, const Tensor&)> after = [](Graph&, const Tensor&) {};  // gets the input
};
Graph trained(const Trained& t) {
  Graph g(5);
  Tensor x = g.input("x", f32, {6, 4});
  Tensor h = t.hidden(g, tanh(nn::dense("a", x, 5)));
  const Tensor off = tanh(nn::dense("b", h, 3)) - 0.3;
  g.minimize(mean(off * off), {.learning_rate = 0.1});
  t.after(g, x);
  return g;
}
Tensor same(Graph&, const Tensor& h) { return h; }
const std::vector<Trained>& kinds_of_training() {
  static const std::vector<Trained> all = {
      {"batch normalization", [](Graph& g, const Tensor& h) { return nn::batch_norm("n", h); }},
      {"dropout", [](Graph& g, const Tensor& h) { return nn::dropout("d", h); }},
      {"a value of training", [](Graph& g, const Tensor& h) { return g.when_training(h * 2, h * h); }},
      {"the step", [](Graph& g, const Tensor& h) { return h * cast(g.step(), {.dtype = f32}); }},
      {"a hyper-parameter", [](Graph& g, const Tensor& h) { return h * g.hyper_parameter("scale", 0.5); }},
      {"a detached factor", [](Graph&, const Tensor& h) { return h * detach(exp(h)); }},
      {"a detached value of a detached value",
       [](Graph&, const Tensor& h) { return h * detach(h * detach(h) + 2) + detach(h); }},
      {"a straight-through estimator",
       [](Graph&, const Tensor& h) { return h + detach(round(h * 4) / 4 - h); }},
      {"detached where a condition does not hold",
       [](Graph&, const Tensor& h) { return detach(h, less(h, 0.1 * h)) * h; }},
      {"detached in batch normalization and dropout",
       [](Graph& g, const Tensor& h) { return detach(nn::batch_norm("n", h)) * nn::dropout("d", h); }},
      {"averages of weights", same, [](Graph& g, const Tensor&) { g.average_weights({.decay = 0.5}); }},
      {"clipped gradients", same,
       [](Graph& g, const Tensor&) { g.clip_gradients({.value = 1e-3, .norm = 1e-3}); }},
      {"a frozen layer", same, [](Graph& g, const Tensor&) { g.freeze({"b"}); }},
      {"an evaluation without the loss", same,
       [](Graph& g, const Tensor& x) { g.function("evaluate", {x}, {{"sum", sum(x)}}); }},
  };
  return all;
}

TEST(Gradients, AreThoseOfTheTrainingStep) {
  for (const Trained& t : kinds_of_training()) {
    EXPECT_GRADIENTS(trained(t)) << t.what;
    const WrongGradientOfTanh wrong;
    const Verdict found = gradients_hold(trained(t));
    EXPECT_FALSE(found) << t.what;
    EXPECT_THAT(found.text, HasSubstr("but finite differences give")) << t.what;
  }
}

// The finite differences are computed with a copy of the graph. The copy does not fix the number of rows of
// the batch.
TEST(Gradients, HoldForABatchOfAnotherSize) {
  Batch batch;
  for (const auto& [name, tensor] : random_batch(trained(kinds_of_training().front()), 3)) {
    HostTensor rows({f32, {9, 4}});
    for (int64_t i = 0; i < rows.elements(); ++i)
      rows.set(i, tensor.at(i % tensor.elements()) + 0.01 * static_cast<double>(i));
    batch.emplace(name, rows);
  }
  for (const Trained& t : kinds_of_training()) EXPECT_GRADIENTS(trained(t), batch) << t.what;
}

TEST(Gradients, OfVariablesOf16BitsAreRefused) {
  Graph g;
  Tensor w = g.variable("w", bf16, {3}, Initializer::uniform(1, 2));
  g.minimize(cast(sum(w * w), {.dtype = f32}), {});
  EXPECT_THAT(gradients_hold(g).text, HasSubstr("@w is bf16"));
}

TEST(RandomBatch, DrawsLabelsOfAllClasses) {
  Graph g;
  Tensor ids = g.input("ids", i32, {50}), label = g.input("label", i64, {40, 5}),
         mask = g.input("mask", i32, {99});
  Tensor x = g.input("x", f32, {200, 3});
  g.output("rows", one_hot(ids, {.depth = 7}));
  g.output("fewer", one_hot(ids, {.depth = 5}));
  g.output("loss", mean(softmax_cross_entropy(x, reshape(label, {.shape = {-1}}))));
  g.output("mask", cast(mask, {.dtype = f32}));
  auto largest = [](const HostTensor& t) {
    double most = 0;
    for (int64_t i = 0; i < t.type().elements(); ++i) {
      most = std::max(most, t.at(i));
      EXPECT_GE(t.at(i), 0);
    }
    return most;
  };
  const Batch batch = random_batch(g, 1);
  EXPECT_EQ(largest(batch.at("ids")), 4);
  EXPECT_EQ(largest(batch.at("label")), 2);
  EXPECT_EQ(largest(batch.at("mask")), 1);
  EXPECT_EQ(largest(random_batch(g, 1, {.classes = {{"mask", 9}}}).at("mask")), 8);
}

TEST(Cut, AnUnknownDeviceIsNotAnEmptyCut) {
  Graph g;
  g.output("y", tanh(g.input("x", f32, {4})));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_BYTES_SENT(session, "host", "reference:0", 16);
  EXPECT_FALSE(bytes_sent(session, "host", "sim:0", 0));
}

TEST(Bounds, NaNExceedsEveryBound) {
  HostTensor good({f32, {2}}), bad({f32, {2}}), other({f32, {3}});
  good.as<float>()[0] = 1;
  good.as<float>()[1] = 2;
  bad.as<float>()[0] = 1;
  bad.as<float>()[1] = static_cast<float>(kNan);
  EXPECT_EQ(difference(good, good), 0);
  EXPECT_EQ(difference(bad, good), HUGE_VAL);
  EXPECT_EQ(difference(good, bad), HUGE_VAL);
  EXPECT_EQ(difference(bad, bad), HUGE_VAL);
  EXPECT_EQ(difference(other, good), HUGE_VAL);
  EXPECT_EQ(change_difference(good, good, bad), 0);
  EXPECT_EQ(change_difference(bad, good, HostTensor(good.type())), HUGE_VAL);
  EXPECT_EQ(loss_difference({1, kNan, 1}, {1, 1, 1}), HUGE_VAL);
  EXPECT_EQ(loss_difference({kNan, 1}, {1, 1}, 1), HUGE_VAL);
  EXPECT_EQ(loss_difference({1, 1}, {1, kNan}), HUGE_VAL);
  EXPECT_EQ(loss_difference({1}, {1, 1}), HUGE_VAL);
  EXPECT_EQ(loss_difference({}, {}), HUGE_VAL);
}

}  // namespace
}  // namespace cutset::testing
