// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/best_metric.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();

// A list of merits, and the number of the evaluation, from 1 on, at which a run stops; 0: it does not stop.
// The numbers were found by hand.
struct Case {
  const char* what;
  std::vector<double> merits;
  int64_t patience;
  double min_delta;
  int64_t stops_at;
  double best;
};

TEST(EarlyStopping, StopsWhereAListOfMetricsSays) {
  const Case cases[] = {
      {"each is better", {1, 2, 3, 4}, 1, 0, 0, 4},
      {"the second is worse", {2, 1, 3}, 1, 0, 2, 2},
      {"a tie is not better", {2, 2, 3}, 1, 0, 2, 2},
      {"three in a row", {5, 4, 4, 4, 9}, 3, 0, 4, 5},
      {"not in a row", {5, 4, 4, 6, 5, 5, 7, 6, 6, 6}, 3, 0, 10, 7},
      {"exactly min_delta is not better", {1, 1.5, 9}, 1, 0.5, 2, 1},
      {"more than min_delta is better", {1, 1.75, 2.5}, 1, 0.5, 0, 2.5},
      {"small steps do not add up", {1, 1.25, 1.5, 1.625, 1.75}, 4, 0.5, 0, 1.625},
      {"small steps are measured from the best", {1, 1.25, 1.5, 1.5}, 3, 0.5, 4, 1},
      {"NaN is never better", {1, kNan, kNan, 2}, 2, 0, 3, 1},
      {"NaN at first", {kNan, 1, kNan, 2}, 2, 0, 0, 2},
      {"only NaN", {kNan, kNan}, 2, 0, 2, kNan},
      {"infinity is not better", {1, kInfinity, 2}, 2, 0, 0, 2},
      {"minus infinity at first", {-kInfinity, -5, -6}, 2, 0, 0, -5},
      {"the loss falls", {-3, -2, -2.5, -1}, 2, 0, 0, -1},
  };
  for (const Case& c : cases) {
    StoppingState state;
    int64_t stopped = 0;
    for (size_t i = 0; i < c.merits.size() && !stopped; ++i) {
      update(state, {.patience = c.patience, .min_delta = c.min_delta}, c.merits[i]);
      if (state.stopped) stopped = static_cast<int64_t>(i) + 1;
    }
    EXPECT_EQ(stopped, c.stops_at) << c.what;
    EXPECT_EQ(state.best.has_value(), !std::isnan(c.best)) << c.what;
    if (state.best) EXPECT_EQ(*state.best, c.best) << c.what;
  }
}

TEST(BestMetric, IsChosenByItsName) {
  const std::vector<std::string> both = {"accuracy", "loss", "score"};
  EXPECT_EQ(chosen_metric({}, both).name, "accuracy");
  EXPECT_TRUE(chosen_metric({}, both).larger_is_better);
  EXPECT_EQ(chosen_metric({}, {"loss"}).name, "loss");
  EXPECT_FALSE(chosen_metric({}, {"loss"}).larger_is_better);
  EXPECT_FALSE(chosen_metric({.name = "loss"}, both).larger_is_better);
  EXPECT_TRUE(chosen_metric({.name = "loss", .larger_is_better = true}, both).larger_is_better);
  EXPECT_EQ(chosen_metric({.name = "score", .larger_is_better = false}, both).merit(2), -2);
  const auto error = [&](const BestMetric& metric, const std::vector<std::string>& names) {
    return testing::error_of([&] { chosen_metric(metric, names); });
  };
  EXPECT_THAT(error({.name = "score"}, both),
              HasSubstr("it is not known whether larger values of the metric 'score'"));
  EXPECT_THAT(error({.name = "f1"}, both),
              HasSubstr("no metric 'f1' (its metrics are 'accuracy', 'loss', 'score')"));
  EXPECT_THAT(error({}, {}), HasSubstr("no metric 'loss' (the graph has no function 'evaluate'"));
  EXPECT_THAT(error({.larger_is_better = true}, both), HasSubstr("larger_is_better is given without a name"));
}

}  // namespace
}  // namespace cutset
