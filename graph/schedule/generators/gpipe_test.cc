// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "graph/schedule/brute_force.h"
#include "graph/schedule/test_pipelines.h"

namespace cutset {
namespace {

TEST(GPipe, HasTheBubbleOfTheFormula) {
  for (const int64_t p : {2, 4, 8})
    for (const int64_t m : {p, 4 * p, 16 * p}) {
      const Simulated r = run_schedule(equal_stages(p, m, 1, 1.3, 0.4), "gpipe");
      const double formula = double(p - 1) / double(m + p - 1);
      EXPECT_NEAR(r.makespan_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches";
      EXPECT_NEAR(r.span_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches";
      for (const StageUse& s : r.simulation.stages) EXPECT_EQ(s.frames, m);
    }
}

// The header of gpipe.cc claims that no schedule with undivided backward actions is shorter.
TEST(GPipe, IsAsShortAsTheBestOfAllSchedules) {
  for (const auto& [p, m] : {std::pair(2, 2), std::pair(2, 3), std::pair(3, 2)}) {
    const PipelineInstance instance = equal_stages(p, m, 1, 0.7, 0.6);
    EXPECT_NEAR(run_schedule(instance, "gpipe").simulation.makespan, shortest_makespan(instance.pipeline),
                1e-12);
  }
}

}  // namespace
}  // namespace cutset
