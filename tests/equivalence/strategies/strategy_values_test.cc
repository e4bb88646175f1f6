// SPDX-License-Identifier: Apache-2.0
// Tests that all functions that take CompileOptions accept a strategy as a value, as a text, and assigned
// later.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/random_batch.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <cutset/verify.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/folder.h"
#include "tests/small_training.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

Batch batch(uint64_t seed) { return random_batch(small_network(), seed); }

std::vector<float> losses(const CompileOptions& options) {
  Session session = compile(small_network(), options);
  std::vector<float> list;
  for (uint64_t step = 0; step < 3; ++step) list.push_back(session.train(batch(step))["loss"].item<float>());
  return list;
}

TEST(StrategyValues, TrainAsTheirTexts) {
  struct Row {
    const char* devices;
    Strategy value;
    std::string text;
  };
  const Row rows[] = {
      {"cpu:0", OneDevice{}, "one_device"},
      {"cpu:0", Pipeline{.micro_batches = 2}, "pipeline(1, micro_batches=2)"},
      {"reference:0,sim:0", Model{}, "model"},
      {"cpu:0,cpu:1", Data{.replicas = 2, .shares = {3, 1}}, "data(2, shares=3:1)"},
      {"reference:0,sim:0", Data{.shard = Data::Shard::kOptimizer}, "data(2, shard=optimizer)"},
      {"reference:0,sim:0", Pipeline{.devices = 2, .micro_batches = 2, .schedule = "gpipe"},
       "pipeline(2, micro_batches=2, schedule=gpipe)"},
      {"reference:0,reference:1,sim:0,sim:1", TensorParallel{2} * Data{2}, "data(2) * tensor(2)"},
  };
  for (const Row& row : rows) {
    if (!have(row.devices)) continue;
    SCOPED_TRACE(row.text);
    const std::vector<float> want = losses({.devices = row.devices, .strategy = row.text});
    EXPECT_EQ(losses({.devices = row.devices, .strategy = row.value}), want);
    CompileOptions options{.devices = row.devices};
    options.strategy = row.text.c_str();
    EXPECT_EQ(losses(options), want);
    options.strategy = row.value;
    const std::string whole = compile(small_network(), options).strategy();
    EXPECT_EQ(explain(small_network(), options).strategy, whole);
    EXPECT_EQ(plan(small_network(), options),
              plan(small_network(), {.devices = row.devices, .strategy = row.text}));
    EXPECT_TRUE(verify(small_network(), options, std::vector<Batch>{batch(1)}).same);
    EXPECT_SAME_ON(small_network(), row.devices, row.value);
  }
}

TEST(StrategyValues, AreSavedWithTheirPrograms) {
  const TemporaryFolder folder;
  const CompileOptions options{.devices = "reference:0,sim:0", .strategy = Data{2}};
  save_program(small_network(), options, folder.path("p"));
  EXPECT_EQ(load_program(folder.path("p")).train(batch(0)).at("loss"),
            compile(small_network(), options).train(batch(0)).at("loss"));
}

TEST(StrategyValues, WithoutAMeaningAreRefusedByCompile) {
  const auto refusal = [](const char* devices, const Strategy& strategy) {
    return error_of([&] { compile(small_network(), {.devices = devices, .strategy = strategy}); });
  };
  EXPECT_THAT(refusal("reference:0", Data{0}), HasSubstr("'0' is not a number of replicas"));
  EXPECT_THAT(refusal("reference:0,sim:0", Data{.shares = {1, NAN}}), HasSubstr("'nan' is not a share"));
  EXPECT_THAT(refusal("reference:0,sim:0", Data{2} * Data{2}), HasSubstr("names data twice"));
  EXPECT_THAT(refusal("reference:0,sim:0", Data{2} * TensorParallel{2}),
              HasSubstr("uses 4 devices, and there are 2 devices"));
  EXPECT_THAT(refusal("reference:0", Pipeline{.schedule = "zigzag"}),
              HasSubstr("there is no schedule 'zigzag'"));
  EXPECT_THAT(refusal("reference:0", "nonsense"), HasSubstr("unknown strategy 'nonsense'"));
}

}  // namespace
}  // namespace cutset::testing
