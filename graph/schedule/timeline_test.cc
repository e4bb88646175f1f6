// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/timeline.h"

#include <gtest/gtest.h>

#include "graph/schedule/test_pipelines.h"

namespace cutset {
namespace {

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Timeline, ShowsOneColumnPerActionOfEqualTimes) {
  const Simulated r = run_schedule(equal_stages(2, 3, 1, 1, 1), "zb-h1");
  EXPECT_EQ(timeline_text(r.schedule, r.simulation, 100),
            "device 0 | FF.BWFBWBW\n"
            "         | 01.0021122\n"
            "device 1 | .FBFBWFBWW\n"
            "         | .001102212\n");
}

TEST(Timeline, FitsTheColumns) {
  const Simulated r = run_schedule(equal_stages(3, 40, 1, 1, 0.01), "zb-h1");
  const std::string text = timeline_text(r.schedule, r.simulation, 50);
  EXPECT_EQ(text.find('\n'), std::string("device 0 | ").size() + 50);
  EXPECT_EQ(count_of(text, "\n"), 6u);
  const Simulated none = run_schedule(equal_stages(2, 2, 0, 0, 0), "gpipe");
  EXPECT_EQ(timeline_text(none.schedule, none.simulation, 50), "");
}

TEST(Timeline, DrawsEveryActionAsSvg) {
  const Simulated r = run_schedule(equal_stages(3, 4, 1, 1, 1), "1f1b");
  const std::string svg = timeline_svg(r.schedule, r.simulation, "a<b>&\"\n");
  EXPECT_EQ(count_of(svg, "<title>"), r.schedule.actions());
  EXPECT_EQ(count_of(svg, "</g>"), r.schedule.actions());
  EXPECT_EQ(count_of(svg, "text-anchor"), r.schedule.actions());
  // Rectangles that are too narrow have no number.
  const Simulated many = run_schedule(equal_stages(3, 200, 1, 1, 1), "1f1b");
  EXPECT_EQ(count_of(timeline_svg(many.schedule, many.simulation, ""), "text-anchor"), 0u);
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;&quot;?"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const Simulated none = run_schedule(equal_stages(2, 2, 0, 0, 0), "gpipe");
  EXPECT_EQ(timeline_svg(none.schedule, none.simulation, "").find("nan"), std::string::npos);
}

}  // namespace
}  // namespace cutset
