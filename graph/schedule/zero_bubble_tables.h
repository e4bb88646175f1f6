// SPDX-License-Identifier: Apache-2.0
// Profiled times and bubbles of pipeline schedules, for tests.
//
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, 2023: the times of table 9 in
//   milliseconds, and the bubbles of table 5. A bubble is (cost - m (F + B + W)) / cost, where the cost is
//   the longest span.
#pragma once
#include <cstdint>

namespace cutset {

struct ZeroBubbleRow {
  int64_t devices, micro_batches;
  double forward, input, weight, link;
  double one_forward_one_backward, zero_bubble_h1;  // bubbles
};

inline constexpr ZeroBubbleRow kZeroBubbleRows[] = {{8, 24, 18.522, 18.086, 9.337, 0.601, 0.2431, 0.1585},
                                                    {8, 64, 18.546, 18.097, 9.321, 0.762, 0.1240, 0.0674},
                                                    {8, 32, 29.802, 29.428, 19.530, 0.577, 0.1898, 0.1045},
                                                    {16, 48, 11.347, 11.248, 8.132, 0.377, 0.2552, 0.1397},
                                                    {16, 128, 11.325, 11.308, 8.109, 0.378, 0.1251, 0.0576},
                                                    {32, 128, 10.408, 10.204, 7.703, 0.408, 0.2168, 0.1106}};

}  // namespace cutset
