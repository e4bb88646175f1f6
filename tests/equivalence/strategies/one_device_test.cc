// SPDX-License-Identifier: Apache-2.0
// Tests that training on other devices, or partitioned over several devices, gives the results of one device.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

// Returns the tolerance of a variable's gradient. It grows with the number of terms of the longest sum in the
// gradient. This is the batch size, and for the filter of a convolution the batch size times the number of
// pixels of the feature map.
double bound_of(const std::string& variable, int64_t batch) {
  const double pixels = variable.rfind("conv1", 0) == 0   ? 24 * 24
                        : variable.rfind("conv2", 0) == 0 ? 8 * 8
                                                          : 1;
  return 1e-5 * std::sqrt(1 + static_cast<double>(batch) * pixels / 1000);
}

struct Setting {
  const char* devices;
  int64_t batch;
  const char* strategy = "";
};
void PrintTo(const Setting& s, std::ostream* out) {
  *out << s.devices << " " << s.batch << " " << s.strategy;
}
class Equality : public ::testing::TestWithParam<Setting> {};

TEST_P(Equality, SmoothNetworkStaysWithF64) {
  const auto [devices, batch, strategy] = GetParam();
  if (!have(devices)) GTEST_SKIP() << devices << " is not available";
  constexpr int kSteps = 6;  // bench/equality.cc runs 50 steps of three seeds
  const TrainingRun exact = run({.batch = batch, .steps = kSteps, .f64 = true, .gradients = true});
  const TrainingRun got =
      run({.devices = devices, .strategy = strategy, .batch = batch, .steps = kSteps, .gradients = true});
  ASSERT_EQ(exact.gradients.size(), 8u);
  for (const auto& [name, gradient] : exact.gradients)
    EXPECT_LE(difference(got.gradients.at(name), gradient), bound_of(name, batch)) << name;
  EXPECT_LE(loss_difference(got.loss, exact.loss), 1e-5);
  for (const auto& [name, after] : exact.after)
    EXPECT_LE(change_difference(got.after.at(name), after, exact.before.at(name)), 1e-4) << name;
}

TEST_P(Equality, LeNetStaysWithTheReference) {
  const auto [devices, batch, strategy] = GetParam();
  if (!have(devices)) GTEST_SKIP() << devices << " is not available";
  const TrainingRun
      want = run({.model = "lenet", .batch = batch, .seed = 2}),
      got = run({.model = "lenet", .devices = devices, .strategy = strategy, .batch = batch, .seed = 2});
  EXPECT_LE(loss_difference(got.loss, want.loss, 1), 1e-6);
  EXPECT_LE(loss_difference(got.loss, want.loss), 1e-3);
}

TEST_P(Equality, TwoRunsGiveTheSameBits) {
  const auto [devices, batch, strategy] = GetParam();
  if (!have(devices)) GTEST_SKIP() << devices << " is not available";
  const RunOptions o{
      .model = "lenet", .devices = devices, .strategy = strategy, .batch = batch, .seed = 3, .steps = 3};
  const TrainingRun a = run(o), b = run(o);
  EXPECT_EQ(a.loss, b.loss);
  for (const auto& [name, value] : a.after) EXPECT_EQ(value, b.after.at(name)) << name;
}

std::string name_of_setting(const ::testing::TestParamInfo<Setting>& info) {
  std::string name =
      info.param.devices + std::string("_") + std::to_string(info.param.batch) + info.param.strategy;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Replicas, Equality,
                         ::testing::Values(Setting{"cpu:0,cpu:1", 64, "data(2)"},
                                           Setting{"cpu:0,opencl:0", 61, "data(2, shares=5:2)"},
                                           Setting{"cpu:0,opencl:0,sim:0", 61, "data(3)"},
                                           Setting{"cpu:0,cpu:1,sim:0,sim:1", 61,
                                                   "data(2) * pipeline(2, micro_batches=1)"},
                                           Setting{"cpu:0,opencl:0,sim:0", 2, "mirrored"}),
                         name_of_setting);
INSTANTIATE_TEST_SUITE_P(MicroBatches, Equality,
                         ::testing::Values(Setting{"cpu:0", 61, "pipeline(1, micro_batches=4)"},
                                           Setting{"opencl:0", 64, "pipeline(1, micro_batches=8)"},
                                           Setting{"sim:0", 7, "pipeline(1, micro_batches=7)"}),
                         name_of_setting);
INSTANTIATE_TEST_SUITE_P(
    Pipelines, Equality,
    ::testing::Values(Setting{"cpu:0,opencl:0", 61, "pipeline(2, micro_batches=4)"},
                      Setting{"cpu:0,sim:0", 64, "pipeline(2, micro_batches=4, schedule=gpipe)"},
                      Setting{"cpu:0,opencl:0,sim:0", 61, "pipeline(3, micro_batches=8)"},
                      Setting{"cpu:0,opencl:0", 61, "pipeline(2, micro_batches=4, schedule=zb-h1)"},
                      Setting{"cpu:0,sim:0", 61, "pipeline(2, micro_batches=4, schedule=zb-h1)"},
                      Setting{"cpu:0,sim:0", 61, "pipeline(2, micro_batches=4, recompute=true)"},
                      Setting{"cpu:0,opencl:0", 61, "pipeline(2, micro_batches=4, schedule=interleaved)"},
                      Setting{"cpu:0,sim:0", 61,
                              "pipeline(2, micro_batches=4, schedule=interleaved, chunks=3)"}),
    name_of_setting);
INSTANTIATE_TEST_SUITE_P(
    Products, Equality,
    ::testing::Values(Setting{"cpu:0,sim:0", 61, "data(2, shares=5:2) * pipeline(1, micro_batches=4)"},
                      Setting{"cpu:0,opencl:0,cpu:1,sim:0", 61, "data(2) * pipeline(2, micro_batches=4)"},
                      Setting{"cpu:0,opencl:0,cpu:1,sim:0", 61,
                              "data(2) * pipeline(2, micro_batches=4, schedule=zb-h1)"},
                      Setting{"cpu:0,opencl:0,cpu:1,sim:0", 61,
                              "data(2) * pipeline(2, micro_batches=4, schedule=interleaved)"},
                      Setting{"cpu:0,sim:0,sim:1,cpu:1,opencl:0,sim:2", 61,
                              "data(3, shares=3:2:2) * pipeline(2, micro_batches=3, schedule=gpipe)"}),
    name_of_setting);
INSTANTIATE_TEST_SUITE_P(
    Tensors, Equality,
    ::testing::Values(Setting{"cpu:0,opencl:0", 61, "tensor(2)"},
                      Setting{"cpu:0,opencl:0,sim:0", 61, "tensor(3)"},
                      Setting{"cpu:0,sim:0,cpu:1,opencl:0", 61, "data(2, shares=5:2) * tensor(2)"},
                      Setting{"cpu:0,opencl:0,cpu:1,sim:0", 61, "pipeline(2, micro_batches=4) * tensor(2)"},
                      Setting{"cpu:0,opencl:0", 61, "data(2, shares=5:2, shard=optimizer)"},
                      Setting{"cpu:0,opencl:0,sim:0", 61, "data(3, shard=gradients)"}),
    name_of_setting);
INSTANTIATE_TEST_SUITE_P(Devices, Equality,
                         ::testing::Values(Setting{"cpu:0", 64}, Setting{"cpu:0", 61},
                                           Setting{"opencl:0", 64}, Setting{"opencl:0", 61},
                                           Setting{"cpu:0,opencl:0", 61}, Setting{"cpu:0,sim:0", 61},
                                           Setting{"cpu:0,cpu:1", 61}, Setting{"cpu:0,opencl:0,sim:0", 64}),
                         name_of_setting);

// If a wait between the queues of an asynchronous device were missing, the results would depend on the order
// in which the queues happen to run.
TEST(Asynchrony, TwentyShufflesGiveTheSameBits) {
  for (const auto& [strategy, devices] :
       {std::pair("pipeline(3, micro_batches=1)", "reference:0,sim:0,sim:1"),
        std::pair("pipeline(3, micro_batches=3)", "reference:0,sim:0,sim:1"),
        std::pair("pipeline(3, micro_batches=3, schedule=zb-h1)", "reference:0,sim:0,sim:1"),
        std::pair("pipeline(2, micro_batches=3, schedule=interleaved)", "sim:0,sim:1"),
        std::pair("data(2) * pipeline(2, micro_batches=2)", "sim:0,sim:1,reference:0,sim:2"),
        std::pair("tensor(3)", "sim:0,sim:1,reference:0")}) {
    RunOptions o{.model = "mlp", .devices = devices, .strategy = strategy, .batch = 7, .steps = 3};
    const TrainingRun want = run(o);
    for (uint64_t seed = 1; seed < 20; ++seed) {
      o.simulation_seed = seed;
      const TrainingRun got = run(o);
      EXPECT_EQ(got.loss, want.loss) << seed;
      for (const auto& [name, value] : want.after)
        EXPECT_EQ(value, got.after.at(name)) << name << " with seed " << seed << ", " << strategy;
    }
  }
}

// A session trains with several batch sizes, such as the smaller batch at the end of an epoch.
TEST(Shapes, LastSmallerBatchIsTrainedAsAGraphOfItsSize) {
  auto train = [](int64_t built, const std::vector<int64_t>& batches) {
    Graph graph = [&] {
      Graph g(9);
      Tensor x = g.input("image", f32, {built, 1, 28, 28});
      Tensor y = g.input("label", i32, {built});
      g.minimize(mean(softmax_cross_entropy(nn::dense("fc", flatten(x), 10), y)),
                 {.learning_rate = 0.1, .momentum = 0.5});
      return g;
    }();
    Session session = compile(graph, {.devices = "reference:0,sim:0"});
    std::vector<double> loss;
    for (size_t i = 0; i < batches.size(); ++i)
      loss.push_back(session.train(noise(batches[i], 4, i))["loss"].item<double>());
    return loss;
  };
  EXPECT_EQ(train(8, {8, 5, 1}), train(5, {8, 5, 1}));
}

}  // namespace
}  // namespace cutset::testing
