// SPDX-License-Identifier: Apache-2.0
// Strategies as values: each has the text that a user would write, and a value is accepted if and only if its
// text is accepted.
#include "graph/config/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <limits>

#include "graph/config/fitted_strategy.h"

namespace cutset {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// Returns as text the strategy for these devices, or why there is none.
std::string fitted(const Strategy& strategy, size_t devices) {
  const auto result = fit_strategy(strategy, devices);
  return result ? result->text() : result.error().what;
}

struct Case {
  Strategy value;
  std::string text;
};

// Tests every term with each of its members left out, at its default, and at other values.
const Case kCases[] = {
    {OneDevice{}, "one_device"},
    {Model{}, "model"},
    {TensorParallel{}, "tensor(2)"},
    {TensorParallel{2}, "tensor(2)"},
    {TensorParallel{.devices = 3}, "tensor(3)"},
    {Data{}, "data(2)"},
    {Data{3}, "data(3)"},
    {Data{.replicas = 2, .shares = {5, 2}}, "data(2, shares=5:2)"},
    {Data{.replicas = 2, .shares = {1, 0.12345678901234566}}, "data(2, shares=1:0.12345678901234566)"},
    {Data{.shard = Data::Shard::kNothing}, "data(2)"},
    {Data{.shard = Data::Shard::kOptimizer}, "data(2, shard=optimizer)"},
    {Data{.replicas = 2, .shard = Data::Shard::kGradients}, "data(2, shard=gradients)"},
    {Data{2, {2, 1}, Data::Shard::kParameters}, "data(2, shares=2:1, shard=parameters)"},
    {Pipeline{}, "pipeline(1, micro_batches=1)"},
    {Pipeline{.micro_batches = 4}, "pipeline(1, micro_batches=4)"},
    {Pipeline{.micro_batches = 4, .schedule = "gpipe"}, "pipeline(1, micro_batches=4, schedule=gpipe)"},
    {Pipeline{.micro_batches = 4, .recompute = {0}}, "pipeline(1, micro_batches=4, recompute=true)"},
    {Pipeline{.devices = 2, .micro_batches = 4}, "pipeline(2, micro_batches=4, schedule=1f1b)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .schedule = "zb-h1"},
     "pipeline(2, micro_batches=4, schedule=zb-h1)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .chunks = 1}, "pipeline(2, micro_batches=4, chunks=1)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .schedule = "interleaved"},
     "pipeline(2, micro_batches=4, schedule=interleaved)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .schedule = "interleaved", .chunks = 3},
     "pipeline(2, micro_batches=4, schedule=interleaved, chunks=3)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .recompute = {1}},
     "pipeline(2, micro_batches=4, recompute=1)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .recompute = {0, 1}},
     "pipeline(2, micro_batches=4, recompute=true)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .recompute = {1, 0}},
     "pipeline(2, micro_batches=4, recompute=1:0)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .schedule = "interleaved", .recompute = {0, 1, 2, 3}},
     "pipeline(2, micro_batches=4, schedule=interleaved, recompute=0:1:2:3)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .chunks = 1, .recompute = {0}},
     "pipeline(2, micro_batches=4, recompute=0)"},
    {Pipeline{.devices = 2, .micro_batches = 4, .chunks = 1, .recompute = {0, 1}},
     "pipeline(2, micro_batches=4, recompute=true)"},
    {Pipeline{
         .devices = 2, .micro_batches = 4, .schedule = "interleaved", .chunks = 2, .recompute = {0, 1, 2, 3}},
     "pipeline(2, micro_batches=4, schedule=interleaved, chunks=2, recompute=true)"},
    {Strategy(), ""},
};

// Values without a meaning.
const Case kRefused[] = {
    {TensorParallel{0}, "tensor(0)"},
    {TensorParallel{-2}, "tensor(-2)"},
    {Data{0}, "data(0)"},
    {Data{-1}, "data(-1)"},
    {Data{10000}, "data(10000)"},
    {Data{.shares = {1}}, "data(2, shares=1)"},
    {Data{.shares = {0, 0}}, "data(2, shares=0:0)"},
    {Data{.shares = {1, -1}}, "data(2, shares=1:-1)"},
    {Data{.shares = {1, NAN}}, "data(2, shares=1:nan)"},
    {Data{.shares = {1, HUGE_VAL}}, "data(2, shares=1:inf)"},
    {Data{.shares = {1, 1e300}}, "data(2, shares=1:1e+300)"},
    {Data{.shard = static_cast<Data::Shard>(4)}, "data(2, shard=?)"},
    {Data{.shard = static_cast<Data::Shard>(-1)}, "data(2, shard=?)"},
    {Pipeline{.devices = 0, .micro_batches = 2}, "pipeline(0, micro_batches=2)"},
    {Pipeline{.devices = -1, .micro_batches = 2}, "pipeline(-1, micro_batches=2)"},
    {Pipeline{.devices = 2, .micro_batches = 0}, "pipeline(2, micro_batches=0)"},
    {Pipeline{.devices = 2, .micro_batches = 4097}, "pipeline(2, micro_batches=4097)"},
    {Pipeline{.micro_batches = 4, .schedule = "zigzag"}, "pipeline(1, micro_batches=4, schedule=zigzag)"},
    {Pipeline{.devices = 2, .schedule = ""}, "pipeline(2, micro_batches=1, schedule=)"},
    {Pipeline{.devices = 2, .chunks = 2}, "pipeline(2, micro_batches=1, chunks=2)"},
    {Pipeline{.devices = 2, .chunks = -1}, "pipeline(2, micro_batches=1, chunks=-1)"},
    {Pipeline{.devices = 2, .schedule = "interleaved", .chunks = 1},
     "pipeline(2, micro_batches=1, schedule=interleaved, chunks=1)"},
    {Pipeline{.devices = 2, .schedule = "interleaved", .chunks = kHuge},
     "pipeline(2, micro_batches=1, schedule=interleaved, chunks=9223372036854775807)"},
    {Pipeline{.devices = kHuge, .micro_batches = 2, .chunks = 2, .recompute = {0, 1}},
     "pipeline(9223372036854775807, micro_batches=2)"},
    {Pipeline{.devices = 2, .recompute = {2}}, "pipeline(2, micro_batches=1, recompute=2)"},
    {Pipeline{.devices = 2, .recompute = {0, 0}}, "pipeline(2, micro_batches=1, recompute=0:0)"},
    {Pipeline{.devices = 2, .chunks = 1, .recompute = {1, 1}}, "pipeline(2, micro_batches=1, recompute=1:1)"},
    {Pipeline{.devices = 2, .recompute = {-1}}, "pipeline(2, micro_batches=1, recompute=-1)"},
    // The name of a schedule cannot contain other arguments or terms.
    {Pipeline{.devices = 2, .schedule = "gpipe, chunks=1"},
     "pipeline(2, micro_batches=1, schedule=gpipe??chunks?1)"},
    {Pipeline{.devices = 2, .schedule = "gpipe) * data(2"},
     "pipeline(2, micro_batches=1, schedule=gpipe????data?2)"},
};

TEST(Strategy, AValueIsReadAsItsText) {
  for (const Case& c : kCases) {
    bool accepted = false;
    for (size_t devices : {1, 2, 3, 4, 6}) {
      const auto value = fit_strategy(c.value, devices), text = fit_strategy(c.text, devices);
      ASSERT_EQ(value.ok(), text.ok()) << c.text << " on " << devices;
      if (value) EXPECT_EQ(*value, *text) << c.text << " on " << devices;
      accepted |= text.ok();
    }
    EXPECT_TRUE(accepted) << c.text << " fits no number of devices";
  }
}

TEST(Strategy, AValueIsRefusedAsItsText) {
  for (const Case& c : kRefused)
    for (size_t devices : {1, 2, 4}) {
      const auto value = fit_strategy(c.value, devices), text = fit_strategy(c.text, devices);
      ASSERT_FALSE(value.ok()) << c.text << " is accepted as " << value->text();
      ASSERT_FALSE(text.ok()) << c.text;
      EXPECT_EQ(value.error().what, text.error().what) << c.text;
      EXPECT_EQ(value.error().hint, text.error().hint) << c.text;
    }
}

TEST(Strategy, AProductOfValuesIsReadAsTheProductOfTheirTexts) {
  std::vector<Case> all(std::begin(kCases), std::end(kCases));
  all.insert(all.end(), std::begin(kRefused), std::end(kRefused));
  for (const Case& x : all)
    for (const Case& y : all) {
      const std::string text = x.text.empty() || y.text.empty() ? x.text + y.text : x.text + " * " + y.text;
      for (size_t devices : {1, 4, 6}) {
        const auto value = fit_strategy(x.value * y.value, devices), written = fit_strategy(text, devices);
        ASSERT_EQ(value.ok(), written.ok()) << text << " on " << devices;
        if (value) EXPECT_EQ(*value, *written) << text;
        // The order of the factors has no effect.
        const auto other = fit_strategy(y.value * x.value, devices);
        ASSERT_EQ(value.ok(), other.ok()) << text << " on " << devices;
        if (value) EXPECT_EQ(*value, *other) << text;
      }
    }
}

TEST(Strategy, FactorsAreValuesOrTexts) {
  EXPECT_EQ(fitted(Data{2} * TensorParallel{2}, 4), "data(2) * tensor(2)");
  EXPECT_EQ(fitted(TensorParallel{2} * Data{.replicas = 2, .shares = {5, 2}}, 4),
            "data(2, shares=5:2) * tensor(2)");
  EXPECT_EQ(fitted("data(2)" * Strategy(Model{}), 4), "data(2) * model");
  EXPECT_EQ(fitted(Model{} * Strategy("data(2)"), 4), "data(2) * model");
  EXPECT_EQ(fitted(Data{2} * Pipeline{.devices = 2, .micro_batches = 4} * TensorParallel{2}, 8),
            "data(2) * pipeline(2, micro_batches=4, schedule=1f1b) * tensor(2)");
  EXPECT_EQ(fitted(Data{2} * Data{3}, 6), "strategy 'data(2) * data(3)' names data twice");
  EXPECT_EQ(fitted(Data{2} * Data{2}, 4), "strategy 'data(2) * data(2)' names data twice");
  EXPECT_EQ(fitted(Data{4} * TensorParallel{2}, 4),
            "strategy 'data(4) * tensor(2)' uses 8 devices, and there are 4 devices");
}

TEST(Strategy, IsMadeOfTextsAndTerms) {
  const std::string text = "data(2)";
  Strategy strategy;
  EXPECT_EQ(strategy.text(), "");
  strategy = text;
  EXPECT_EQ(strategy.text(), "data(2)");
  EXPECT_EQ(strategy, Data{2});
  EXPECT_EQ(strategy, "data(2)");
  EXPECT_NE(strategy, Data{3});
  strategy = "model";
  EXPECT_EQ(strategy, Model{});
  strategy = Pipeline{.devices = 2, .micro_batches = 4};
  EXPECT_EQ(strategy.text(), "pipeline(2, micro_batches=4, schedule=1f1b)");
  strategy = {};
  EXPECT_EQ(strategy, Strategy());
  const char* const none = nullptr;
  EXPECT_EQ(Strategy(none), Strategy());
  static_assert(!std::convertible_to<int, Strategy> && !std::constructible_from<Strategy, std::nullptr_t>);
}

}  // namespace
}  // namespace cutset
