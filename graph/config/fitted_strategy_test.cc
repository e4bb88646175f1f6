// SPDX-License-Identifier: Apache-2.0
#include "graph/config/fitted_strategy.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

TEST(FittedStrategy, ParsesToItsOwnText) {
  for (const char* text :
       {"one_device", "model", "data(2)", "data(2, shares=5:2)", "data(2) * model",
        "data(4, shares=1:0.5:2:3) * model", "data(2, shares=1:0.12345678901234566)",
        "data(2, shard=optimizer)", "data(2, shard=parameters)", "data(2, shares=2:1, shard=gradients)",
        "pipeline(1, micro_batches=4)", "pipeline(8, micro_batches=16, schedule=gpipe)",
        "pipeline(8, micro_batches=16, schedule=zb-h1)"}) {
    const size_t devices =
        std::string(text).find("model") != std::string::npos || std::string(text).find("pipeline(8") == 0 ? 8
        : std::string(text).find("data") == 0                                                             ? 2
                                                                                                          : 1;
    auto parsed = fit_strategy(text, devices);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().text();
    EXPECT_EQ(parsed->text(), text);
  }
  EXPECT_EQ(fit_strategy("mirrored", 3)->text(), "data(3)");
  EXPECT_EQ(fit_strategy("", 1)->text(), "one_device");
  EXPECT_EQ(fit_strategy("", 2)->text(), "model");
  EXPECT_EQ(fit_strategy("model*data( 2 ,shares= 1:3 )", 4)->text(), "data(2, shares=1:3) * model");
  EXPECT_EQ(fit_strategy("pipeline( 1 ,micro_batches=16)", 1)->micro_batches(), 16);
  EXPECT_EQ(fit_strategy("pipeline(2, micro_batches=3)*data(2)", 4)->text(),
            "data(2) * pipeline(2, micro_batches=3, schedule=1f1b)");
  EXPECT_EQ(fit_strategy("pipeline(2, micro_batches=1)", 2)->text(),
            "pipeline(2, micro_batches=1, schedule=1f1b)");
  EXPECT_EQ(fit_strategy("pipeline(1, schedule=gpipe, micro_batches=3)", 1)->text(),
            "pipeline(1, micro_batches=3)");
  EXPECT_EQ(fit_strategy("pipeline(1, micro_batches=1)", 1)->text(), "one_device")
      << "one micro-batch is the batch";
  EXPECT_EQ(fit_strategy("pipeline(2, schedule=interleaved, micro_batches=4)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=interleaved, chunks=2)");
  EXPECT_EQ(fit_strategy("pipeline(2, chunks=1, micro_batches=4, schedule=gpipe)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=gpipe)");
  EXPECT_EQ(fit_strategy("pipeline(1, micro_batches=4, schedule=interleaved, chunks=3)", 1)->text(),
            "pipeline(1, micro_batches=4)")
      << "one device has one stage";
  EXPECT_EQ(fit_strategy("pipeline(2, recompute=true, micro_batches=4)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=1f1b, recompute=true)");
  EXPECT_EQ(fit_strategy("pipeline(2, micro_batches=4, recompute=false)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=1f1b)");
  EXPECT_EQ(fit_strategy("pipeline(2, micro_batches=4, recompute=0)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=1f1b, recompute=0)");
  EXPECT_EQ(fit_strategy("pipeline(2, recompute=3:0, micro_batches=4, schedule=interleaved)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=interleaved, chunks=2, recompute=0:3)");
  EXPECT_EQ(fit_strategy("pipeline(2, micro_batches=4, recompute=1:0)", 2)->text(),
            "pipeline(2, micro_batches=4, schedule=1f1b, recompute=true)");
  for (const char* wrong : {"2", "-1", "yes", "0:0", "0:", "", "99999"})
    EXPECT_FALSE(fit_strategy("pipeline(2, micro_batches=4, recompute=" + std::string(wrong) + ")", 2).ok())
        << wrong;
  EXPECT_EQ(fit_strategy("pipeline(1, micro_batches=4, recompute=true)", 1)->text(),
            "pipeline(1, micro_batches=4)")
      << "one stage would compute the whole graph again";
  EXPECT_EQ(fit_strategy("data(1)", 1)->text(), "one_device") << "one replica is the graph itself";
  EXPECT_EQ(fit_strategy("data(1, shares=3) * model", 2)->text(), "model")
      << "one replica is the graph itself";
}

TEST(FittedStrategy, IsAProductOfTerms) {
  const FittedStrategy s = *fit_strategy("model * data(2, shares=5:2)", 4);
  ASSERT_EQ(s.terms.size(), 2u);
  ASSERT_TRUE(s.find<Data>());
  EXPECT_EQ(*s.find<Data>(), (Data{2, {5, 2}}));
  EXPECT_TRUE(s.find<Model>());
  EXPECT_FALSE(s.find<OneDevice>());
  EXPECT_EQ(s.replicas(), 2);
  EXPECT_EQ(FittedStrategy().replicas(), 1);
}

TEST(FittedStrategy, NamesWhatWasProbablyMeant) {
  const auto hint = [](const std::string& text) { return fit_strategy(text, 2).error().hint; };
  const auto begins = [&](const std::string& text, const std::string& beginning) {
    EXPECT_EQ(hint(text).substr(0, beginning.size()), beginning);
    for (const char* name :
         {"data(N, shard=gradients)", "data(N, shard=parameters)", "mirrored", "tensor(N)", "recompute=true"})
      EXPECT_NE(hint(text).find(name), std::string::npos) << text << " lists all strategies: " << hint(text);
  };
  begins("pipelin(2, micro_batches=4)", "did you mean 'pipeline'? ");
  begins("modle", "did you mean 'model'? ");
  begins("Data(2)", "did you mean 'data'? ");
  begins("ddp", "that is data(N) here; ");
  begins("DDP", "that is data(N) here; ");
  begins("fsdp(2)", "that is data(N, shard=parameters) here; ");
  begins("data-parallel", "that is data(N) here; ");
  begins("tp(2)", "that is tensor(N) here; ");
  begins("model(3)", "'model' takes no arguments; ");
  begins("magic", "the strategies are one_device, ");
}

TEST(FittedStrategy, RefusesWhatHasNoMeaning) {
  const auto refusal = [](const std::string& text, size_t devices) {
    auto parsed = fit_strategy(text, devices);
    return parsed ? "accepted as " + parsed->text() : parsed.error().what;
  };
  EXPECT_EQ(refusal("data(2) * data(2)", 4), "strategy 'data(2) * data(2)' names data twice");
  EXPECT_EQ(refusal("mirrored * data(2)", 2), "strategy 'mirrored * data(2)' names data twice");
  EXPECT_EQ(refusal("model * one_device", 2),
            "strategy 'model * one_device': one_device cannot be combined with another strategy");
  EXPECT_EQ(refusal("model(3)", 2), "unknown strategy 'model(3)'");
  EXPECT_EQ(refusal("data(2, shard=all)", 2),
            "strategy 'data': 'shard=all' is not shard=optimizer, shard=gradients or shard=parameters");
  EXPECT_EQ(refusal("data(2, shard=)", 2),
            "strategy 'data': 'shard=' is not shard=optimizer, shard=gradients or shard=parameters");
  EXPECT_EQ(refusal("data(2, shard=optimizer, shard=optimizer)", 2),
            "strategy 'data': 'shard' is written twice");
  EXPECT_EQ(refusal("data(2, shares=5:x)", 2), "strategy 'data': 'x' is not a share");
  EXPECT_EQ(refusal("data(2, shares=0:0)", 2), "strategy 'data': it needs 2 shares, not all of them 0");
  EXPECT_EQ(refusal("data(2, shares=5:2x)", 2), "strategy 'data': '2x' is not a share");
  EXPECT_EQ(refusal("pipeline", 1), "strategy 'pipeline': the number of devices is missing");
  EXPECT_EQ(refusal("pipeline(1)", 1), "strategy 'pipeline': the number of micro-batches is missing");
  EXPECT_EQ(refusal("pipeline(0, micro_batches=2)", 1),
            "strategy 'pipeline': '0' is not a number of devices");
  EXPECT_EQ(refusal("pipeline(2, micro_batches=2)", 3),
            "strategy 'pipeline(2, micro_batches=2)' uses 2 devices, and there are 3 devices");
  EXPECT_EQ(refusal("pipeline(2, micro_batches=2, schedule=zigzag)", 2),
            "strategy 'pipeline': there is no schedule 'zigzag'; the schedules are 1f1b, gpipe, interleaved, "
            "zb-h1");
  EXPECT_EQ(
      refusal("pipeline(2, micro_batches=2, schedule)", 2),
      "strategy 'pipeline': there is no schedule ''; the schedules are 1f1b, gpipe, interleaved, zb-h1");
  for (const char* count : {"0", "-1", "4097", "x", "", "4.5", "99999999999999999999"})
    EXPECT_EQ(
        refusal("pipeline(1, micro_batches=" + std::string(count) + ")", 1),
        "strategy 'pipeline': '" + std::string(count) + "' is not a number of micro-batches; at most 4096");
  for (const char* count : {"0", "65", "x", "", "-1", "100000"})
    EXPECT_EQ(
        refusal("pipeline(2, micro_batches=2, schedule=interleaved, chunks=" + std::string(count) + ")", 2),
        "strategy 'pipeline': '" + std::string(count) + "' is not a number of chunks; at most 64");
  for (const char* schedule : {"", ", schedule=gpipe", ", schedule=zb-h1"})
    EXPECT_EQ(refusal("pipeline(2, micro_batches=2, chunks=2" + std::string(schedule) + ")", 2),
              "strategy 'pipeline': the schedule '" +
                  (*schedule ? std::string(schedule).substr(11) : "1f1b") +
                  "' has one stage per device; several chunks need one of the schedules interleaved");
  EXPECT_EQ(refusal("pipeline(2, micro_batches=2, schedule=interleaved, chunks=1)", 2),
            "strategy 'pipeline': the schedule 'interleaved' has at least 2 chunks per device; use "
            "schedule=1f1b for one");
  EXPECT_EQ(refusal("pipeline(128, micro_batches=2, schedule=interleaved, chunks=33)", 128),
            "strategy 'pipeline': it has 4224 stages; at most 4096");
  EXPECT_EQ(refusal("pipeline(1, micro_batches=2, micro_batches=3)", 1),
            "strategy 'pipeline': 'micro_batches=3' is not one of its arguments, or is written twice");
  EXPECT_EQ(refusal("pipeline(1, micro_batches=2, schedule=gpipe, micro_batches=3)", 1),
            refusal("pipeline(1, micro_batches=2, micro_batches=3)", 1));
  EXPECT_EQ(refusal("data(2) * pipeline(2, micro_batches=2)", 2),
            "strategy 'data(2) * pipeline(2, micro_batches=2)' uses 4 devices, and there are 2 devices");
  EXPECT_EQ(fit_strategy("tensor(2)*data(3)", 6)->text(), "data(3) * tensor(2)");
  EXPECT_EQ(fit_strategy("tensor(2)*data(3)", 6)->copies(), 6);
  EXPECT_EQ(fit_strategy("tensor(2)*model", 6)->text(), "model * tensor(2)");
  EXPECT_EQ(fit_strategy("tensor(2)*pipeline(3, micro_batches=4)*data(2)", 12)->text(),
            "data(2) * pipeline(3, micro_batches=4, schedule=1f1b) * tensor(2)");
  EXPECT_EQ(fit_strategy("tensor(1)", 1)->text(), "one_device");
  EXPECT_EQ(refusal("tensor", 2),
            "strategy 'tensor' takes one argument, the number of devices over which operands are divided");
  EXPECT_EQ(refusal("tensor(2, 3)", 2), refusal("tensor", 2));
  EXPECT_EQ(refusal("tensor(0)", 2), refusal("tensor", 2));
  EXPECT_EQ(refusal("tensor(2)", 3), "strategy 'tensor(2)' uses 2 devices, and there are 3 devices");
  EXPECT_EQ(refusal("data(2) * tensor(2)", 2),
            "strategy 'data(2) * tensor(2)' uses 4 devices, and there are 2 devices");
  EXPECT_EQ(refusal("tensor(2) * model", 5),
            "strategy 'tensor(2) * model' uses a multiple of 2 devices, and there are 5 devices");
  EXPECT_EQ(refusal("tensor(2) * pipeline(3, micro_batches=2)", 4),
            "strategy 'tensor(2) * pipeline(3, micro_batches=2)' uses 6 devices, and there are 4 devices");
  EXPECT_EQ(fit_strategy("tensor(2) * data(2, shard=optimizer)", 4)->text(),
            "data(2, shard=optimizer) * tensor(2)");
  EXPECT_EQ(refusal("model * pipeline(2, micro_batches=2)", 2),
            "strategy 'model * pipeline(2, micro_batches=2)': both pipeline and model divide the graph over "
            "devices");
  EXPECT_EQ(refusal("pipeline(1, micro_batches=2)", 2),
            "strategy 'pipeline(1, micro_batches=2)' uses 1 device, and there are 2 devices");
  EXPECT_EQ(refusal("data( )", 2), "strategy 'data': '' is not a number of replicas");
  EXPECT_EQ(refusal("data(10000)", 2), "strategy 'data': '10000' is not a number of replicas");
  EXPECT_EQ(refusal("data((2))", 2), "strategy 'data((2))': the brackets do not match");
  EXPECT_EQ(refusal("data(2)", 4),
            "strategy 'data(2)' uses one device per replica, but there are 4 devices for 2 replicas");
  EXPECT_EQ(refusal("one_device", 2), "strategy 'one_device' uses one device, but there are 2 devices");
}

}  // namespace
}  // namespace cutset
