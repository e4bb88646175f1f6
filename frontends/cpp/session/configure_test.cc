// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/configure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset {
namespace {

using ::testing::HasSubstr;

TEST(Configure, ParsesWhatTheOptionsSay) {
  const auto config =
      configure({.devices = "reference:0,sim:0",
                 .strategy = "data(2, shares=5:2)",
                 .plan = "cutset plan 1\nprogram 0123456789abcdef\nop 1 matmul reference:0 0\n",
                 .f64 = true,
                 .gradients = true,
                 .bucket_bytes = 7,
                 .fuse = false,
                 .deterministic = true});
  ASSERT_TRUE(config.ok()) << config.error().text();
  ASSERT_EQ(config->devices.size(), 2u);
  EXPECT_EQ(config->devices[1]->name(), "sim:0");
  EXPECT_EQ(config->devices[1]->info().threads, 1)
      << "the kernels of a deterministic program have one thread";
  EXPECT_EQ(config->strategy.terms, (std::vector<StrategyTerm>{Data{2, {5, 2}}}));
  ASSERT_TRUE(config->plan);
  EXPECT_EQ(config->plan->program, "0123456789abcdef");
  EXPECT_EQ(config->dtype, DType::f64);
  EXPECT_TRUE(config->gradients);
  EXPECT_EQ(config->bucket_bytes, 7);
  EXPECT_EQ(config->shards, kDeterministicShards);
  EXPECT_FALSE(config->fuse);
  EXPECT_TRUE(configure({.devices = "reference:0"})->fuse);
}

// CompileOptions and passes/options.td both have the defaults.
TEST(Configure, HasTheDefaultsOfCompileOptions) {
  for (const NumberOption& o : kNumberOptions)
    EXPECT_EQ(CompileOptions().*o.given, CompileConfig().*o.taken) << o.member;
  for (const FlagOption& o : kFlagOptions) {
    EXPECT_EQ(CompileOptions().*o.given, CompileConfig().*o.taken) << o.member;
    EXPECT_EQ(CompileOptions().*o.given, o.initial) << o.member;
  }
  EXPECT_EQ(name_of(kNumberOptions[0]), "bucket-bytes");
  EXPECT_EQ(name_of(kFlagOptions[0]), "no-fuse");
}

TEST(Configure, RefusesNumbersThatHaveNoMeaning) {
  for (const NumberOption& o : kNumberOptions)
    for (int64_t bad : {o.least - 1, o.most + 1}) {
      CompileOptions options{.devices = "reference:0"};
      options.*o.given = bad;
      const auto config = configure(options);
      ASSERT_FALSE(config.ok()) << o.member << " = " << bad;
      EXPECT_THAT(config.error().what, HasSubstr(std::to_string(bad)));
    }
  EXPECT_THAT(configure({.devices = "reference:0", .threads = -1}).error().what,
              HasSubstr("CompileOptions::threads"));
  EXPECT_THAT(configure({.devices = "reference:0", .bucket_bytes = -1}).error().what,
              HasSubstr("CompileOptions::bucket_bytes"));
}

TEST(Configure, RefusesAStrategyThatDoesNotFitTheDevices) {
  EXPECT_THAT(configure({.devices = "reference:0", .strategy = "data(2)"}).error().what,
              HasSubstr("1 device does not make 2 groups"));
}

}  // namespace
}  // namespace cutset
