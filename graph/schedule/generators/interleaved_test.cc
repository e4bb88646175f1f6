// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/schedule/test_pipelines.h"

namespace cutset {
namespace {

// The paper states the formula for multiples of p. Here it holds for every m from p on. For smaller m, the
// chunks wait for the p - m micro-batches that do not exist.
TEST(Interleaved, HasTheBubbleOfTheFormula) {
  for (const int64_t p : {1, 2, 4, 8})
    for (const int64_t v : {2, 3, 4})
      for (const int64_t m : {int64_t{1}, p, p + 1, 2 * p - 1, 2 * p + 3, 4 * p, 16 * p, 16 * p + p / 2}) {
        const Simulated r = run_schedule(equal_stages(p, m, 1, 1.3, 0.4, 0, v), "interleaved");
        const auto idle = double(p - 1 + (v - 1) * std::max<int64_t>(0, p - m));
        const double formula = idle / (double(v * m) + idle);
        EXPECT_NEAR(r.makespan_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches, " << v;
        EXPECT_NEAR(r.span_bubble(), formula, 5e-5) << p << " devices, " << m << " micro-batches, " << v;
      }
}

// The warm-up of the paper decides how many micro-batches are alive.
TEST(Interleaved, HasTheWarmUpOfThePaper) {
  for (const int64_t p : {2, 4, 8})
    for (const int64_t v : {2, 3}) {
      const Simulated r = run_schedule(equal_stages(p, 4 * p, 1, 1, 1, 0, v), "interleaved");
      for (int64_t d = 0; d < p; ++d)
        EXPECT_EQ(r.simulation.devices[size_t(d)].live, 2 * (p - 1 - d) + (v - 1) * p + 1) << "device " << d;
    }
}

TEST(Interleaved, RefusesOneStagePerDevice) {
  const auto made = generate_schedule("interleaved", {2, 4, 1});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().text().find("it takes at least 2 (use '1f1b'"), std::string::npos)
      << made.error().text();
}

// A link is used in both directions. Per chunk, the link from the last device to the first device is also
// used.
TEST(Interleaved, PassesTheLinkFromTheLastDeviceToTheFirst) {
  PipelineInstance instance = equal_stages(2, 1, 1, 1, 0, 0, 2);
  instance.pipeline.links = {0.25};
  instance.wrap = 2;
  // One micro-batch passes three links forward and back, and four half stages in both directions.
  EXPECT_NEAR(run_schedule(instance, "interleaved").simulation.makespan, 4 + 2 * (0.25 + 2 + 0.25), 1e-12);
}

}  // namespace
}  // namespace cutset
