// SPDX-License-Identifier: Apache-2.0
#include <cutset/evaluation.h>
#include <cutset/indexing.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors.h"
#include "tests/small_training.h"

namespace cutset {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a graph whose "evaluate" returns numbers of the batch, so that the means are known.
Graph graph_of_numbers(bool counts_labels) {
  Graph g;
  const Tensor x = g.input("x", f32, {4}), weight = g.input("weight", f32, {4});
  const Tensor total = sum(weight), count = sum(cast(greater(weight, constant(weight, 0)), {.dtype = f32}));
  std::vector<std::pair<std::string, Tensor>> outputs = {
      {"loss", counts_labels ? div(sum(mul(x, weight)), total) : mean(x)}, {"correct", sum(x)}, {"all", x}};
  if (counts_labels) outputs.insert(outputs.end(), {{"label_weight", total}, {"label_count", count}});
  g.function("evaluate", {x, weight}, outputs);
  return g;
}

// Returns ten samples with the numbers 1 to 10. The weights of the third batch are 0.
data::Dataset numbers() {
  return data::from_tensors(
      {{"x", HostTensor({10}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f, 10.f})},
       {"weight", HostTensor({10}, {1.f, 0.f, 0.f, 1.f, 1.f, 1.f, 1.f, 3.f, 0.f, 0.f})}});
}

TEST(Evaluations, AreMeansOverTheSamples) {
  Session session = compile(graph_of_numbers(false), {.devices = "reference:0"});
  for (const int64_t batch : {1, 4, 10}) {
    const Evaluation e = evaluate(session, numbers(), batch);
    EXPECT_THAT(e.metrics.at("loss"), DoubleNear(5.5, 1e-6)) << batch;  // (1 + ... + 10) / 10
    EXPECT_THAT(e.metrics.at("accuracy"), DoubleNear(5.5, 1e-6)) << batch;
    EXPECT_EQ(e.metrics.size(), 2u);  // and not 'all', which is no scalar
    EXPECT_FALSE(e.perplexity());
  }
  EXPECT_THAT(metric_names(session), ElementsAre("accuracy", "loss"));
}

// The mean is (1 + 4 + 5 + 6 + 7 + 3 * 8) / 8, even where the mean of a batch is 0 / 0. Six labels have a
// weight.
TEST(Evaluations, AreWeightedByWhatALossIsDividedBy) {
  Session session = compile(graph_of_numbers(true), {.devices = "reference:0"});
  for (const int64_t batch : {1, 4, 10}) {
    const Evaluation e = evaluate(session, numbers(), batch);
    EXPECT_THAT(e.metrics.at("loss"), DoubleNear(47.0 / 8, 1e-6)) << batch;
    EXPECT_THAT(e.metrics.at("accuracy"), DoubleNear(55.0 / 6, 1e-6)) << batch;
  }
  EXPECT_THAT(metric_names(session), ElementsAre("accuracy", "loss"));
}

// An evaluation in batches gives the same metrics as an evaluation of one sample at a time.
TEST(Evaluations, OfANetworkAreThoseOfItsSamples) {
  Session session = testing::small_session();
  double loss = 0, correct = 0;
  const data::Dataset samples = testing::small_samples(11);
  for (Batch& one : samples.batch(1)) {
    const Outputs outputs = session.evaluate(one);
    loss += outputs["loss"].item<double>();
    correct += outputs["correct"].item<double>();
  }
  const Evaluation e = evaluate(session, samples, testing::kSmallBatch);
  EXPECT_THAT(e.metrics.at("loss"), DoubleNear(loss / 11, 1e-6));
  EXPECT_EQ(e.metrics.at("accuracy"), correct / 11);
  int batches = 0;
  EXPECT_FALSE(evaluate(session, samples, 4, [&] { return ++batches == 2; }));
  EXPECT_EQ(batches, 2);
}

// "correct" is the metric "accuracy", so another output of this name would be lost.
TEST(Evaluations, HaveOneOutputPerMetric) {
  for (const auto& [name, count] :
       {std::pair("accuracy", "correct"), std::pair("accuracy_top5", "correct_top5")}) {
    Graph g;
    const Tensor x = g.input("x", f32, {4}), weight = g.input("weight", f32, {4});
    g.function("evaluate", {x, weight}, {{name, mean(x)}, {count, sum(weight)}});
    Session session = compile(g, {.devices = "reference:0"});
    const std::string says =
        std::string("'evaluate' returns '") + name + "' and '" + count + "', and both are";
    EXPECT_THAT(testing::error_of([&] { evaluate(session, numbers(), 4); }), HasSubstr(says));
    EXPECT_THAT(testing::error_of([&] { metric_names(session); }), HasSubstr(says));
  }
}

TEST(Evaluations, NeedTheFunction) {
  Graph g;
  const Tensor w = g.variable("w", f32, {}, Initializer::constant(1));
  g.function("other", {}, {{"w", w}});
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_TRUE(metric_names(session).empty());
  EXPECT_THAT(testing::error_of([&] { evaluate(session, numbers(), 4); }), HasSubstr("evaluate"));
  EXPECT_THAT(session.functions(), ElementsAre("other"));
  EXPECT_THAT(testing::error_of([&] { session.outputs("evaluat"); }),
              HasSubstr("there is no function 'evaluat'"));
  EXPECT_EQ(session.outputs("other")[0].second, (TensorType{f32, {}}));
  EXPECT_EQ(session.graph_text(), g.text());
}

}  // namespace
}  // namespace cutset
