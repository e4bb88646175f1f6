// SPDX-License-Identifier: Apache-2.0
// Tests layers that behave differently during training: dropout, and batch normalization with running
// statistics, over the whole batch or over groups of rows. Their values are compared with plain loops, and
// all strategies are compared with one device.
#include <cutset/explain.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/core/philox.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/errors.h"

namespace cutset::testing {
namespace {

constexpr int64_t kRows = 6, kChannels = 2, kSpace = 3;

HostTensor numbers(int64_t rows, uint64_t seed) {
  HostTensor t({f32, {rows, kChannels, kSpace}});
  PhiloxSequence random(seed, 1);
  for (int64_t i = 0; i < t.type().elements(); ++i) t.set(i, 2 * random.unit() + static_cast<double>(i % 5));
  return t;
}
double at(const HostTensor& t, int64_t row, int64_t channel, int64_t i) {
  return t.at((row * kChannels + channel) * kSpace + i);
}
// The mean and the variance of a channel over the rows [first, last), and its variance with n - 1 degrees of
// freedom.
struct Moments {
  double mean = 0, variance = 0, unbiased = 0;
};
Moments moments(const HostTensor& x, int64_t channel, int64_t first, int64_t last) {
  Moments m;
  const auto n = static_cast<double>((last - first) * kSpace);
  const auto each = [&](auto&& f) {
    for (int64_t r = first; r < last; ++r)
      for (int64_t i = 0; i < kSpace; ++i) f(at(x, r, channel, i));
  };
  each([&](double v) { m.mean += v / n; });
  each([&](double v) { m.variance += (v - m.mean) * (v - m.mean) / n; });
  m.unbiased = m.variance * n / (n - 1);
  return m;
}

Graph normalization(const nn::BatchNormOptions& options) {
  Graph g;
  Tensor y = nn::batch_norm("norm", g.input("x", f32, {kRows, kChannels, kSpace}), options);
  g.output("y", y);
  g.minimize(mean(y * y), {.learning_rate = 0});
  return g;
}

// Compares the running statistics and the values of "evaluate" after two steps with plain loops, for groups
// of `rows` rows.
void compare_with_loops(const nn::BatchNormOptions& options, int64_t rows) {
  Session session = compile(normalization(options), {.devices = "reference:0", .f64 = true});
  double mean[kChannels] = {0, 0}, variance[kChannels] = {1, 1};
  for (uint64_t step = 0; step < 2; ++step) {
    const HostTensor x = numbers(kRows, step);
    const HostTensor y = session.run("train", {{"x", x}}).at("y");
    for (int64_t c = 0; c < kChannels; ++c) {
      double m = 0, v = 0;
      const auto groups = static_cast<double>(kRows / rows);
      for (int64_t first = 0; first < kRows; first += rows) {
        const Moments its = moments(x, c, first, first + rows);
        m += its.mean / groups;
        v += its.unbiased / groups;
        for (int64_t r = first; r < first + rows; ++r)
          for (int64_t i = 0; i < kSpace; ++i)
            EXPECT_NEAR(at(y, r, c, i),
                        (at(x, r, c, i) - its.mean) / std::sqrt(its.variance + options.epsilon), 1e-12);
      }
      mean[c] += options.momentum * (m - mean[c]);
      variance[c] += options.momentum * (v - variance[c]);
      EXPECT_NEAR(session.variable("norm.running_mean").at(c), mean[c], 1e-12) << "step " << step;
      EXPECT_NEAR(session.variable("norm.running_var").at(c), variance[c], 1e-12) << "step " << step;
    }
  }
  const HostTensor x = numbers(kRows, 9), y = session.run("evaluate", {{"x", x}}).at("y");
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t c = 0; c < kChannels; ++c)
      for (int64_t i = 0; i < kSpace; ++i)
        EXPECT_NEAR(at(y, r, c, i), (at(x, r, c, i) - mean[c]) / std::sqrt(variance[c] + options.epsilon),
                    1e-12);
}

TEST(BatchStatistics, AreThoseOfTheDefinition) {
  compare_with_loops({}, kRows);
  compare_with_loops({.epsilon = 1e-3, .momentum = 0.25}, kRows);
  compare_with_loops({.rows_per_group = kRows}, kRows);
  compare_with_loops({.momentum = 1, .rows_per_group = 2}, 2);
  compare_with_loops({.rows_per_group = 1}, 1);
}

// Returns a network whose two normalizations keep statistics, with dropout between them.
template <int64_t kGroup>
Graph network(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor filter = g.variable("filter", f32, {4, 1, 7, 7}, Initializer::uniform(-0.2, 0.2));
  Tensor x = conv(image, filter, {}, {.stride = {7, 7}});
  Tensor h = tanh(nn::batch_norm("norm", x, {.rows_per_group = kGroup}));
  // There is no bias before a normalization, because its gradient would be 0 except for rounding.
  h = matmul(flatten(nn::dropout("drop", h, {.probability = 0.25})),
             g.variable("hidden", f32, {64, 12}, Initializer::uniform(-0.2, 0.2)));
  h = tanh(nn::batch_norm("norm2", h, {.momentum = 0.5, .rows_per_group = kGroup}));
  Tensor logits = nn::dense("out", h, 10);
  g.output("logits", logits);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// The division by the deviation of a few rows makes rounding larger.
constexpr double kBound = 1e-11;

TEST(BatchStatistics, OfTheWholeBatchAreThoseOfOneDevice) {
  const Split splits[] = {
      {"sim:0,reference:0", "model"},
      {"sim:0,reference:0", "data(2, shares=5:2)"},
      {"sim:0", "pipeline(1, micro_batches=3)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=3, schedule=gpipe)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=3, schedule=interleaved)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=2, schedule=interleaved, chunks=3)"},
      {"sim:0,reference:0", "tensor(2)"},
      {"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2) * tensor(2)"}};
  expect_as_on_one_device({"", network<0>, {7, 7, 5}, "", ""}, splits, kBound);
}

TEST(BatchStatistics, OfGroupsAreThoseOfOneDevice) {
  const Split splits[] = {{"sim:0,reference:0", "model"},
                          {"sim:0,reference:0", "data(2)"},
                          {"sim:0,reference:0", "data(2, shares=5:2)"},
                          {"sim:0,reference:0", "tensor(2)"}};
  expect_as_on_one_device({"", network<2>, {8, 8, 6}, "", ""}, splits, kBound);
}

// Each replica and each micro-batch has whole groups and computes their statistics without the other rows.
TEST(BatchStatistics, OfGroupsAreThoseOfReplicasAndMicroBatches) {
  const Split splits[] = {
      {"sim:0,reference:0", "data(2, shares=3:1)"},
      {"sim:0", "pipeline(1, micro_batches=4)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=3)"},
      {"sim:0,reference:0", "pipeline(2, micro_batches=2, schedule=interleaved)"},
      {"sim:0,reference:0,sim:1,reference:1", "data(2, shares=1:1) * pipeline(2, micro_batches=2)"}};
  expect_as_on_one_device({"", network<2>, {8, 8, 8}, "", ""}, std::span(splits).first(2), kBound);
  expect_as_on_one_device({"", network<2>, {12, 12}, "", ""}, std::span(splits).subspan(2, 2), kBound);
  expect_as_on_one_device({"", network<2>, {8, 8}, "", ""}, std::span(splits).subspan(4), kBound);
  int whole = 0;
  for (const Explanation& e :
       explain(network<2>(8, 1), {.devices = "sim:0,sim:1", .strategy = "data(2)"}).ops)
    whole += !e.whole.empty();
  EXPECT_EQ(whole, 0) << "each replica computes its groups alone";
}

TEST(BatchStatistics, OfGroupsThatMicroBatchesWouldCutAreRefusedAtTheUsersLine) {
  const Graph g = network<2>(8, 1);  // micro-batches of 3, 3 and 2 rows
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "sim:0", .strategy = "pipeline(1, micro_batches=3)"}); }),
              ::testing::AllOf(::testing::HasSubstr("needs the rows of all micro-batches at once"),
                               ::testing::HasSubstr(
                                   "can be split by dimension 0 of operand 0 after each 2 rows, and a sample "
                                   "of the batch has 1 of them"),
                               ::testing::HasSubstr("batch_statistics_test.cc:")));
}

TEST(BatchStatistics, AGraphThatDoesNotTrainUsesTheRunningOnes) {
  Graph g;
  g.output("y", nn::batch_norm("norm", g.input("x", f32, {kRows, kChannels, kSpace})));
  Session session = compile(g, {.devices = "reference:0"});
  const HostTensor x = numbers(kRows, 1), y = session.run("evaluate", {{"x", x}}).at("y");
  for (int64_t i = 0; i < x.type().elements(); ++i) EXPECT_NEAR(y.at(i), x.at(i), 1e-4);
}

Graph dropped(int64_t rows) {
  Graph g(5);
  Tensor x = g.input("x", f32, {rows, 40});
  g.output("y", nn::dropout("drop", x * g.variable("w", f32, {40}, Initializer::constant(1)),
                            {.probability = 0.25}));
  g.output("z", nn::dropout("other", x, {.probability = 0.25}));
  g.minimize(mean(x * g.variable("v", f32, {40}, Initializer::zeros())), {.learning_rate = 0});
  return g;
}

TEST(Dropout, DrawsTheSameMaskUnderAllStrategies) {
  constexpr int64_t kSamples = 50;
  HostTensor x({f32, {kSamples, 40}});
  for (int64_t i = 0; i < x.type().elements(); ++i) x.set(i, 1);
  Session one = compile(dropped(kSamples), {.devices = "reference:0"});
  std::vector<HostTensor> want;
  for (int step = 0; step < 2; ++step) want.push_back(one.run("train", {{"x", x}}).at("y"));
  int64_t zeros = 0;
  for (int64_t i = 0; i < x.type().elements(); ++i) {
    zeros += want[0].at(i) == 0;
    EXPECT_TRUE(want[0].at(i) == 0 || want[0].at(i) == static_cast<float>(1 / 0.75)) << i;
  }
  EXPECT_NEAR(static_cast<double>(zeros) / 2000, 0.25, 0.04);  // four standard deviations of 2,000 draws
  EXPECT_NE(want[0], want[1]) << "each step draws a new mask";
  const auto last = one.run("train", {{"x", x}});
  EXPECT_NE(last.at("z"), last.at("y")) << "each layer draws a mask of its own";
  EXPECT_EQ(one.run("evaluate", {{"x", x}}).at("y"), x);
  for (const auto& [devices, strategy] : {Split{"sim:0,reference:0", "data(2, shares=5:2)"},
                                          {"cpu:0,opencl:0", "data(2, shares=5:2)"},
                                          {"sim:0,reference:0", "pipeline(2, micro_batches=3)"},
                                          {"sim:0,reference:0", "tensor(2)"}}) {
    if (!have(devices)) continue;
    Session many = compile(dropped(kSamples), {.devices = devices, .strategy = strategy});
    for (int step = 0; step < 2; ++step)
      EXPECT_EQ(many.run("train", {{"x", x}}).at("y"), want[static_cast<size_t>(step)])
          << devices << " " << strategy;
  }
}

TEST(BatchStatistics, OptionsThatCannotBeAreErrorsAtTheUsersLine) {
  Graph g;
  Tensor x = g.input("x", f32, {6, 2}), y = g.input("y", f32, {6, 3});
  EXPECT_ERROR_HERE("has a momentum of", nn::batch_norm("norm", x, {.momentum = 1.5}));
  EXPECT_ERROR_HERE("has a momentum of", nn::batch_norm("norm", x, {.momentum = std::nan("")}));
  EXPECT_ERROR_HERE("rows_per_group = -1", nn::batch_norm("norm", x, {.rows_per_group = -1}));
  EXPECT_ERROR_HERE("reshape", nn::batch_norm("norm", x, {.rows_per_group = 4}));
  EXPECT_ERROR_HERE("a probability of", nn::dropout("drop", x, {.probability = 1}));
  EXPECT_ERROR_HERE("a probability of", nn::dropout("drop", x, {.probability = -0.1}));
  EXPECT_ERROR_HERE("both values need the same type", g.when_training(x, y));
  g.output("y", nn::dropout("drop", nn::batch_norm("norm", x)));  // the failed calls have no effect
  EXPECT_NO_THROW(compile(g, {.devices = "reference:0"}));
}

}  // namespace
}  // namespace cutset::testing
