// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/class_loss.h"

#include <cutset/label_ranges.h>
#include <cutset/session.h>
#include <cutset/shapes.h>
#include <gmock/gmock.h>

#include <cmath>

#include "frontends/models/class_metrics.h"
#include "frontends/models/models.h"
#include "tests/errors.h"

namespace cutset::models {
namespace {

using cutset::testing::error_of;
using ::testing::DoubleNear;
using ::testing::HasSubstr;

constexpr int64_t kRows = 6, kClasses = 12;

double logit(int64_t row, int64_t c) {
  return std::sin(1.0 + 3 * static_cast<double>(row) + 2 * static_cast<double>(c));
}

// The sums that torch.nn.functional.cross_entropy divides, in f64: the sum of the losses and the sum of the
// weights of the labels.
struct Sums {
  double loss = 0, weight = 0, count = 0, correct = 0, top5 = 0;
};
Sums expected(const std::vector<int64_t>& labels, const ClassLossOptions& o) {
  Sums s;
  const auto weight = [&](int64_t c) {
    return o.class_weights.empty() ? 1.0 : o.class_weights[static_cast<size_t>(c)];
  };
  for (int64_t row = 0; row < std::ssize(labels); ++row) {
    const int64_t label = labels[static_cast<size_t>(row)];
    if (o.ignore_index == label) continue;
    double total = 0, smooth = 0;
    int64_t larger = 0;
    for (int64_t c = 0; c < kClasses; ++c) {
      total += std::exp(logit(row, c));
      larger += logit(row, c) > logit(row, label);
    }
    for (int64_t c = 0; c < kClasses; ++c) smooth -= weight(c) * (logit(row, c) - std::log(total)) / kClasses;
    const double hard = -weight(label) * (logit(row, label) - std::log(total));
    s.loss += (1 - o.label_smoothing) * hard + o.label_smoothing * smooth;
    s.weight += weight(label);
    s.count += 1;
    s.correct += larger == 0;
    s.top5 += larger < 5;
  }
  return s;
}

// Returns a classifier whose logits are a variable. "evaluate" has all outputs of the loss and the metrics.
Graph classifier(const ClassLossOptions& o, DType type = f32) {
  Graph g;
  HostTensor values({type, {kRows, kClasses}});
  for (int64_t i = 0; i < kRows * kClasses; ++i) values.set(i, logit(i / kClasses, i % kClasses));
  const Tensor logits = g.variable("logits", values), label = g.input("label", i32, {kRows});
  const ClassLoss loss = class_loss(g, logits, label, 1, o);
  auto outputs = class_metrics(logits, label, 1, o.ignore_index);
  outputs.emplace_back("loss", loss.loss);
  outputs.insert(outputs.end(), loss.outputs.begin(), loss.outputs.end());
  g.minimize(loss.loss, {.learning_rate = 1});
  g.function("evaluate", {label}, outputs);
  return g;
}

Batch batch_of(const std::vector<int64_t>& labels) {
  HostTensor label({i32, {kRows}});
  for (int64_t i = 0; i < kRows; ++i) label.set(i, static_cast<double>(labels[static_cast<size_t>(i)]));
  return {{"label", label}};
}

std::vector<double> weights() {
  std::vector<double> all;
  for (int64_t c = 0; c < kClasses; ++c) all.push_back(0.25 * static_cast<double>(c % 4) + 0.5);
  return all;
}

TEST(ClassLosses, AreThoseOfPyTorch) {
  const std::vector<int64_t> labels = {-100, 3, 11, -100, 0, 7};
  const std::vector<int64_t> zeros_ignored = {0, 3, 11, 0, 5, 7};
  const std::pair<ClassLossOptions, std::vector<int64_t>> cases[] = {
      {{.ignore_index = -100}, labels},
      {{.ignore_index = 0}, zeros_ignored},
      {{.class_weights = weights()}, zeros_ignored},
      {{.ignore_index = -100, .class_weights = weights()}, labels},
      {{.label_smoothing = 0.2}, zeros_ignored},
      {{.ignore_index = -100, .class_weights = weights(), .label_smoothing = 0.2}, labels},
  };
  for (const auto& [options, samples] : cases) {
    const Sums want = expected(samples, options);
    Session session = compile(classifier(options), {.devices = "reference:0"});
    const Outputs outputs = session.evaluate(batch_of(samples));
    EXPECT_THAT(outputs["loss"].item<double>(), DoubleNear(want.loss / want.weight, 1e-6));
    EXPECT_EQ(outputs["correct"].item<double>(), want.correct);
    EXPECT_EQ(outputs["correct_top5"].item<double>(), want.top5);
    if (options.ignore_index) EXPECT_EQ(outputs["label_count"].item<double>(), want.count);
    if (outputs.contains("label_weight"))
      EXPECT_THAT(outputs["label_weight"].item<double>(), DoubleNear(want.weight, 1e-6));
  }
}

// A step of size 1 subtracts the gradient of the loss: (softmax - target) / count in rows that count, and 0
// in the others.
TEST(ClassLosses, TrainNothingByIgnoredLabels) {
  Session session = compile(classifier({.ignore_index = -100}), {.devices = "reference:0"});
  const HostTensor before = session.variable("logits");
  session.train(batch_of({-100, 3, -100, 4, -100, -100}));
  const HostTensor after = session.variable("logits");
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t c = 0; c < kClasses; ++c) {
      double total = 0;
      for (int64_t k = 0; k < kClasses; ++k) total += std::exp(logit(row, k));
      const bool counts = row == 1 || row == 3;
      const double target = c == (row == 1 ? 3 : 4) ? 1 : 0;
      const double gradient = counts ? (std::exp(logit(row, c)) / total - target) / 2 : 0;
      EXPECT_THAT(before.at(row * kClasses + c) - after.at(row * kClasses + c), DoubleNear(gradient, 1e-6));
    }
}

// A batch without a label that counts is a step that changes nothing, even in 16 bits.
TEST(ClassLosses, OfIgnoredBatchesAreZero) {
  for (const DType type : {f32, f16, bf16}) {
    Session session = compile(classifier({.ignore_index = -100, .class_weights = weights()}, type),
                              {.devices = "reference:0"});
    const HostTensor before = session.variable("logits");
    const Batch none = batch_of(std::vector<int64_t>(kRows, -100));
    EXPECT_EQ(session.train(none)["loss"].item<double>(), 0);
    EXPECT_EQ(session.variable("logits"), before);
    EXPECT_EQ(session.evaluate(none)["label_weight"].item<double>(), 0);
  }
}

// The number of classes does not matter. With equal logits, each label has the loss log(n) for all weights.
// The gradient of the logit of class c is 1 / n - w_c m_c / W, where m_c is the number of labels of the
// class, and W the sum of the weights of all labels.
TEST(ClassLosses, HaveWeightsThatAreNoVariables) {
  constexpr int64_t kMany = 700;
  std::vector<double> all(kMany);
  for (size_t c = 0; c < all.size(); ++c) all[c] = 1 + static_cast<double>(c % 7);
  for (const bool in_f64 : {false, true}) {
    Graph g;
    const Tensor logits = g.variable("logits", HostTensor({f32, {1, kMany}})),
                 label = g.input("label", i32, {3});
    const Tensor rows = broadcast_to(logits, {3, kMany});
    const ClassLoss loss = class_loss(g, rows, label, 1, {.class_weights = all});
    g.minimize(loss.loss, {.learning_rate = 1});
    Session session = compile(g, {.devices = "reference:0", .f64 = in_f64});
    EXPECT_THAT(session.variables(), ::testing::UnorderedElementsAre("logits", "logits/velocity"));
    const Outputs outputs = session.train({{"label", HostTensor({3}, {5, 300, 699})}});
    EXPECT_NEAR(outputs["loss"].item<double>(), std::log(kMany), 1e-5);
    const double sum = 6 + 7 + 7;  // 5, 300 and 699 modulo 7 are 5, 6 and 6
    const HostTensor moved = session.variable("logits");
    for (const int64_t c : {0, 5, 127, 128, 300, 699}) {
      const double own = c == 5 ? 6 : c == 300 || c == 699 ? 7 : 0;
      EXPECT_NEAR(moved.at(c), own / sum - 1.0 / kMany, 1e-5) << c;
    }
  }
}

// Tests the built-in models, whose label check accepts the ignored label and no other label outside of the
// classes.
TEST(ClassLosses, BelongToTheModels) {
  const Graph g =
      find("mlp").build({.batch = 2, .sizes = {{"image_size", 2}}, .loss = {.ignore_index = -100}});
  Batch batch{{"label", HostTensor({2}, {-100, 9})}};
  const auto check = data::check_label_ranges(g);
  EXPECT_EQ(error_of([&] { check(batch, {0, 0, {4, 5}}); }), "no error");
  batch.at("label").set(1, -1);
  EXPECT_THAT(
      error_of([&] { check(batch, {0, 0, {4, 5}}); }),
      HasSubstr(
          "sample 5 has -1 in 'label', and the model takes numbers from 0 to 9 there (samples are counted "
          "from 0; correct the sample, because the model ignores only the label -100)"));
  batch.at("label").set(1, 10);
  EXPECT_THAT(error_of([&] { check(batch, {0, 0, {4, 5}}); }), HasSubstr("sample 5 has 10 in 'label'"));
  batch.at("label").set(0, 0);
  const Graph smooth =
      find("mlp").build({.batch = 2, .sizes = {{"image_size", 2}}, .loss = {.label_smoothing = 0.1}});
  EXPECT_THAT(error_of([&] { data::check_label_ranges(smooth)(batch, {0, 0, {4, 5}}); }),
              HasSubstr("sample 5 has 10 in 'label'"));
}

TEST(ClassLosses, RefuseWhatDoesNotFit) {
  const auto error = [](const ClassLossOptions& o) { return error_of([&] { classifier(o); }); };
  EXPECT_THAT(error({.class_weights = {1, 2}}),
              HasSubstr("there are 2 class weights, and the model has 12 classes"));
  std::vector<double> negative(kClasses, 1);
  negative[3] = -1;
  EXPECT_THAT(error({.class_weights = negative}), HasSubstr("the weight of class 3 is -1"));
  EXPECT_THAT(error({.label_smoothing = 2}), HasSubstr("label_smoothing from 0 to 1"));
  Graph g;
  const Tensor y = g.input("y", f32, {2, 3}), target = g.input("target", f32, {2, 3});
  EXPECT_THAT(error_of([&] { class_loss(g, y, target, 1, {.ignore_index = 0}); }),
              HasSubstr("labels that are probabilities cannot be ignored"));
  EXPECT_THAT(error_of([&] { class_loss(g, y, target, 5, {.class_weights = {1, 1, 1}}); }),
              HasSubstr("class_axis"));
}

}  // namespace
}  // namespace cutset::models
