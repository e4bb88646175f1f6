// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/schedule/test_pipelines.h"
#include "graph/schedule/zero_bubble_tables.h"

namespace cutset {
namespace {

struct Times {
  double forward, input, weight;
};

TEST(ZeroBubbleH1, HasTheBubbleOfTheFormula) {
  for (const int64_t p : {2, 4, 8})
    for (const int64_t m : {p, 4 * p, 16 * p})
      for (const Times& t : {Times{1, 1, 1}, Times{1, 1.1, 0.9}, Times{18.522, 18.086, 9.337},
                             Times{2, 1, 0.5}, Times{1, 0.8, 1.2}, Times{1, 2, 1.5}}) {
        const Simulated r = run_schedule(equal_stages(p, m, t.forward, t.input, t.weight), "zb-h1");
        const double idle = double(p - 1) * (t.input + std::max(0.0, t.forward - t.weight));
        const double formula = idle / (double(m) * (t.forward + t.input + t.weight) + idle);
        EXPECT_NEAR(r.span_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches, "
                                                    << t.forward << ", " << t.input << ", " << t.weight;
        if (t.weight <= t.forward) {
          EXPECT_NEAR(r.makespan_bubble(), formula, 5e-5);
        }
      }
}

TEST(ZeroBubbleH1, HoldsAtMostAsManyFramesAsDevices) {
  for (const int64_t p : {1, 2, 4, 8})
    for (const int64_t m : {1, 2, 3, 7, 8, 9, 40}) {
      const Simulated r = run_schedule(equal_stages(p, m, 1, 1.1, 0.9), "zb-h1");
      for (int64_t s = 0; s < p; ++s) {
        EXPECT_EQ(r.simulation.stages[size_t(s)].frames, std::min(m, p)) << "stage " << s << ", " << m;
        EXPECT_EQ(r.simulation.stages[size_t(s)].input_frames, std::min(m, p - s))
            << "stage " << s << ", " << m;
      }
    }
}

TEST(ZeroBubbleH1, HasTheBubblesOfThePaper) {
  for (const ZeroBubbleRow& row : kZeroBubbleRows) {
    const Simulated r = run_schedule(
        equal_stages(row.devices, row.micro_batches, row.forward, row.input, row.weight, row.link), "zb-h1");
    EXPECT_NEAR(r.span_bubble(), row.zero_bubble_h1, 5e-5) << row.devices << ", " << row.micro_batches;
  }
}

}  // namespace
}  // namespace cutset
