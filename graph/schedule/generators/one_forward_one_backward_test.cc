// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/schedule/brute_force.h"
#include "graph/schedule/test_pipelines.h"
#include "graph/schedule/zero_bubble_tables.h"

namespace cutset {
namespace {

TEST(OneForwardOneBackward, HasTheBubbleOfTheFormula) {
  for (const int64_t p : {2, 4, 8})
    for (const int64_t m : {p, 4 * p, 16 * p}) {
      const Simulated r = run_schedule(equal_stages(p, m, 1, 1.3, 0.4), "1f1b");
      const double formula = double(p - 1) / double(m + p - 1);
      EXPECT_NEAR(r.makespan_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches";
      EXPECT_NEAR(r.span_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches";
    }
}

TEST(OneForwardOneBackward, HoldsOneFramePerStageThatFollows) {
  for (const int64_t p : {1, 2, 4, 8})
    for (const int64_t m : {1, 2, 3, 7, 8, 9, 40}) {
      const Simulated r = run_schedule(equal_stages(p, m, 1, 1.3, 0.4), "1f1b");
      for (int64_t s = 0; s < p; ++s) {
        EXPECT_EQ(r.simulation.stages[size_t(s)].frames, std::min(m, p - s)) << "stage " << s;
        EXPECT_EQ(r.simulation.stages[size_t(s)].stash_bytes, 1000.0 * double(std::min(m, p - s)));
      }
    }
}

TEST(OneForwardOneBackward, IsAsShortAsTheBestOfAllSchedules) {
  for (const auto& [p, m] : {std::pair(2, 2), std::pair(2, 3), std::pair(3, 2)}) {
    const PipelineInstance instance = equal_stages(p, m, 1, 0.7, 0.6);
    EXPECT_NEAR(run_schedule(instance, "1f1b").simulation.makespan, shortest_makespan(instance.pipeline),
                1e-12);
  }
}

TEST(OneForwardOneBackward, HasTheBubblesOfThePaper) {
  for (const ZeroBubbleRow& row : kZeroBubbleRows) {
    const Simulated r = run_schedule(
        equal_stages(row.devices, row.micro_batches, row.forward, row.input, row.weight, row.link), "1f1b");
    EXPECT_NEAR(r.span_bubble(), row.one_forward_one_backward, 5e-5)
        << row.devices << ", " << row.micro_batches;
  }
}

}  // namespace
}  // namespace cutset
