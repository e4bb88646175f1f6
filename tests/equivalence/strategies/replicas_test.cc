// SPDX-License-Identifier: Apache-2.0
// Tests that replicas train like one device, with losses of different forms (loss_forms.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

class Replicas : public ::testing::TestWithParam<LossForm> {};

TEST_P(Replicas, TrainAsOneDeviceDoes) {
  const LossForm& form = GetParam();
  if (!have(form.devices)) GTEST_SKIP() << form.devices << " is not available";
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  const FormRun got = train(form, {.devices = form.devices, .strategy = form.strategy}, 7);
  EXPECT_THAT(got.different_copies, ::testing::IsEmpty());
  const FormDifference d = differences(got, want);
  EXPECT_LE(d.loss, 1e-5);
  EXPECT_LE(d.change, 1e-4);
}
INSTANTIATE_TEST_SUITE_P(Losses, Replicas, ::testing::ValuesIn(loss_forms()),
                         [](const auto& info) { return std::string(info.param.name); });

// In f64, rounding is too small to hide a wrong gradient, so the bounds are far below the bounds for f32.
class ReplicasInF64 : public ::testing::TestWithParam<LossForm> {};

TEST_P(ReplicasInF64, TrainAsOneDeviceDoes) {
  const LossForm& form = GetParam();
  if (!have(form.devices)) GTEST_SKIP() << form.devices << " is not available";
  const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, 7);
  const FormRun got = train(form, {.devices = form.devices, .strategy = form.strategy, .f64 = true}, 7);
  EXPECT_THAT(got.different_copies, ::testing::IsEmpty());
  const FormDifference d = differences(got, want);
  EXPECT_LE(d.loss, 1e-12);
  EXPECT_LE(d.change, 1e-12);
}
std::vector<LossForm> forms_without_opencl() {  // the OpenCL backend does not compute in f64
  std::vector<LossForm> forms = loss_forms();
  std::erase_if(forms,
                [](const LossForm& f) { return std::string(f.devices).find("opencl") != std::string::npos; });
  return forms;
}
INSTANTIATE_TEST_SUITE_P(Losses, ReplicasInF64, ::testing::ValuesIn(forms_without_opencl()),
                         [](const auto& info) { return std::string(info.param.name); });

// The copies of every variable and velocity are bitwise equal after every step, even on devices of different
// kinds.
TEST(Copies, AreBitwiseEqualOnDevicesOfDifferentKinds) {
  int compared = 0;
  for (const auto& [devices, strategy] :
       {std::pair("cpu:0,opencl:0", "data(2, shares=5:2)"), std::pair("reference:0,opencl:0", "data(2)"),
        std::pair("cpu:0,opencl:0,sim:0", "data(3)"),
        std::pair("reference:0,sim:0,cpu:0", "data(3, shares=3:2:1)")}) {
    if (!have(devices)) continue;
    // These losses have gradients that are summed over replicas, and gradients that each replica computes
    // completely.
    for (const LossForm& loss : loss_forms()) {
      const std::string name = loss.name;
      if (name != "exponentials_of_variables" && name != "ops_that_need_the_whole_batch" &&
          name != "a_last_smaller_batch")
        continue;
      const LossForm form{"", loss.build, {24, 7, 13}, devices, strategy};
      const FormRun r = train(form, {.devices = devices, .strategy = strategy}, 3, 2);
      EXPECT_THAT(r.different_copies, ::testing::IsEmpty()) << devices << ", " << name;
      EXPECT_TRUE(r.after.contains("hidden.weight/velocity"))
          << "the test needs momentum, whose rounding could differ";
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "neither cpu nor opencl is available";
}

TEST(ReplicasOfAGraph, RowsOfAnOutputLieWhereTheSamplesDo) {
  Session one = compile(mean_loss(13, 7), {.devices = "reference:0"}),
          two = compile(mean_loss(13, 7),
                        {.devices = "reference:0,reference:1", .strategy = "data(2, shares=3:1)"});
  const Batch batch = noise(13, 4, 0);
  EXPECT_EQ(one.run("evaluate", batch).at("logits"), two.run("evaluate", batch).at("logits"));
}

TEST(ReplicasOfAGraph, InputsOfDifferentBatchSizesAreRefused) {
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
  if (!have("cpu:0")) GTEST_SKIP() << "cpu:0 is not available";
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
       {Other{"cpu:0", "", 2}, Other{"cpu:0,cpu:1", "data(2)", 0},
        Other{"cpu:0,cpu:1", "data(2, shares=5:2)", 0}, Other{"cpu:0,cpu:1,cpu:2", "data(3)", 2},
        Other{"cpu:0,cpu:1", "model", 0}, Other{"cpu:0", "pipeline(1, micro_batches=4)", 2},
        Other{"cpu:0,cpu:1", "pipeline(2, micro_batches=4)", 2},
        Other{"cpu:0,cpu:1", "data(2, shares=5:2) * pipeline(1, micro_batches=2)", 0},
        Other{"cpu:0,cpu:1,cpu:2,cpu:3", "data(2) * pipeline(2, micro_batches=2)", 0},
        Other{"cpu:0,cpu:1,cpu:2", "pipeline(3, micro_batches=4, schedule=zb-h1)", 2},
        Other{"cpu:0,cpu:1", "pipeline(2, micro_batches=4, schedule=interleaved)", 2},
        Other{"cpu:0,cpu:1,cpu:2,cpu:3", "data(2) * pipeline(2, micro_batches=4, schedule=zb-h1)", 0}}) {
    const TrainingRun got = losses(o.devices, o.strategy, o.threads);
    EXPECT_EQ(got.loss, want.loss) << o.devices << " " << o.strategy;
    for (const auto& [name, value] : want.after)
      EXPECT_EQ(value, got.after.at(name)) << name << " on " << o.devices << " " << o.strategy;
  }
}

}  // namespace
}  // namespace cutset::testing
