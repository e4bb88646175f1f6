// Replicas of a graph, with losses of every form, train as one device does.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/equivalence/runs.h"

namespace cutset::testing {
namespace {

using Build = std::function<Graph(int64_t batch)>;

Tensor logits_of(Graph& g, const Tensor& image) {
  return nn::dense(g, "out", tanh(nn::dense(g, "hidden", flatten(image), 12)), 10);
}
struct Inputs {
  Tensor image, label;
};
Inputs inputs(Graph& g, int64_t batch) {
  return {g.input("image", f32, {batch, 1, 28, 28}), g.input("label", i32, {batch})};
}

struct Trained {
  std::vector<double> loss;
  std::map<std::string, HostTensor> variables;
};
Trained train(const Build& build, const CompileOptions& options, const std::vector<int64_t>& batches) {
  Session session = compile(build(batches[0]), options);
  Trained t;
  for (size_t i = 0; i < batches.size(); ++i) {
    t.loss.push_back(session.run("train", noise(batches[i], 4, i))["loss"].item<double>());
    for (const std::string& v : session.variables())
      for (int64_t r = 1; r < session.replicas(); ++r)
        EXPECT_EQ(session.variable(v), session.variable(v, r)) << v << " of replica " << r;
  }
  for (const std::string& v : session.variables()) t.variables.emplace(v, session.variable(v));
  return t;
}

void same(const Build& build, const std::vector<int64_t>& batches, const char* devices, const char* strategy) {
  if (!have(devices)) GTEST_SKIP() << devices << " is not here";
  const Trained want = train(build, {.devices = "reference:0", .f64 = true}, batches);
  const Trained got = train(build, {.devices = devices, .strategy = strategy}, batches);
  for (size_t i = 0; i < want.loss.size(); ++i)
    EXPECT_LE(std::abs(got.loss[i] - want.loss[i]), 1e-5 * std::abs(want.loss[i])) << "step " << i;
  for (const auto& [name, value] : want.variables) EXPECT_LE(difference(got.variables.at(name), value), 1e-5) << name;
}

TEST(Replicas, ALossThatIsASum) {
  same(
      [](int64_t batch) {
        Graph g(7);
        const auto [image, label] = inputs(g, batch);
        g.minimize(sum(softmax_cross_entropy(logits_of(g, image), label)), {.learning_rate = 0.002, .momentum = 0.9});
        return g;
      },
      {13, 13, 13}, "reference:0,sim:0", "data(2, shares=5:2)");
}

// The mask leaves out samples, and the mean is over those that stay: no fixed weight of a replica is right.
TEST(Replicas, AMaskOverSamples) {
  same(
      [](int64_t batch) {
        Graph g(7);
        const auto [image, label] = inputs(g, batch);
        Tensor mask = cast(equal(cast(label, {.dtype = i64}), argmax(one_hot(label, {.depth = 6}))), {.dtype = f32});
        Tensor loss = softmax_cross_entropy(logits_of(g, image), label);
        g.minimize(sum(loss * mask) / sum(mask), {.learning_rate = 0.05, .momentum = 0.9});
        return g;
      },
      {14, 14, 14}, "reference:0,sim:0,cpu:0", "data(3)");
}

TEST(Replicas, AnAuxiliaryLossOverVariables) {
  same(
      [](int64_t batch) {
        Graph g(7);
        const auto [image, label] = inputs(g, batch);
        Tensor weight = g.variable("scale", f32, {10}, Initializer::uniform(0.5, 1.5));
        Tensor loss = mean(softmax_cross_entropy(logits_of(g, image) * weight, label));
        g.minimize(loss + sum(weight * weight), {.learning_rate = 0.05, .momentum = 0.9});
        return g;
      },
      {9, 9}, "reference:0,sim:0", "data(2)");
}

// What needs all samples at once (a maximum over the batch, a product of the batch with itself) is joined.
TEST(Replicas, OpsThatNeedTheWholeBatch) {
  same(
      [](int64_t batch) {
        Graph g(7);
        const auto [image, label] = inputs(g, batch);
        Tensor logits = logits_of(g, image);
        Tensor largest = reduce_max(logits, {.axes = {0}});
        Tensor gram = matmul(logits, logits, {.transpose_y = true});
        g.minimize(mean(softmax_cross_entropy(logits - largest, label)) + mean(gram * gram),
                   {.learning_rate = 0.01, .momentum = 0.9});
        return g;
      },
      {9, 9}, "reference:0,sim:0", "data(2, shares=2:1)");
}

Graph plain(int64_t batch) {
  Graph g(7);
  const auto [image, label] = inputs(g, batch);
  Tensor logits = logits_of(g, image);
  g.output("logits", logits);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

TEST(Replicas, TheLastSmallerBatchAndOneSmallerThanTheDevices) {
  same(plain, {24, 24, 7, 2, 1, 24}, "reference:0,sim:0,sim:1", "data(3, shares=3:2:1)");
  same(plain, {24, 7, 1, 24}, "reference:0,reference:1,sim:0,sim:1", "data(2) * model");
}

TEST(Replicas, RowsOfAnOutputLieWhereTheSamplesDo) {
  Session one = compile(plain(13), {.devices = "reference:0"}),
          two = compile(plain(13), {.devices = "reference:0,reference:1", .strategy = "data(2, shares=3:1)"});
  const Batch batch = noise(13, 4, 0);
  EXPECT_EQ(one.run("evaluate", batch).at("logits"), two.run("evaluate", batch).at("logits"));
}

TEST(Replicas, InputsOfUnlikeSizesAreRefused) {
  Graph g(7);
  Tensor x = g.input("x", f32, {8, 4}), y = g.input("y", f32, {5, 4});
  g.output("z", sum(x) + sum(y));
  try {
    compile(g, {.devices = "reference:0,sim:0", .strategy = "data(2)"});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("inputs of 8 and 5 rows"), std::string::npos) << e.what();
  }
}

TEST(Deterministic, TheSameBitsForThreadsReplicasAndPlacements) {
  if (!have("cpu:0")) GTEST_SKIP() << "cpu is not here";
  auto losses = [](const char* devices, const char* strategy, int threads) {
    return run({.model = "lenet",
                .devices = devices,
                .strategy = strategy,
                .batch = 61,
                .steps = 3,
                .threads = threads,
                .deterministic = true});
  };
  const TrainingRun want = losses("cpu:0", "", 1);
  struct Other {
    const char *devices, *strategy;
    int threads;
  };
  for (const Other& o :
       {Other{"cpu:0", "", 2}, Other{"cpu:0,cpu:1", "data(2)", 0}, Other{"cpu:0,cpu:1", "data(2, shares=5:2)", 0},
        Other{"cpu:0,cpu:1,cpu:2", "data(3)", 2}, Other{"cpu:0,cpu:1", "model", 0}}) {
    const TrainingRun got = losses(o.devices, o.strategy, o.threads);
    EXPECT_EQ(got.loss, want.loss) << o.devices << " " << o.strategy;
    for (const auto& [name, value] : want.after)
      EXPECT_EQ(value, got.after.at(name)) << name << " on " << o.devices << " " << o.strategy;
  }
}

}  // namespace
}  // namespace cutset::testing
