// SPDX-License-Identifier: Apache-2.0
// The cost of one execution of an op, as arithmetic and memory traffic. It depends only on the op's
// attributes and types. The planner turns it into seconds with the speeds of a device.
#pragma once
#include "ir/core/types.h"

namespace cutset {

struct Cost {
  double flops = 0;  // floating-point operations; a multiply-add counts as two
  double bytes_read = 0;
  double bytes_written = 0;
  Cost& operator+=(const Cost& o) {
    flops += o.flops;
    bytes_read += o.bytes_read;
    bytes_written += o.bytes_written;
    return *this;
  }
};

// Returns the cost of an op that reads every operand once, writes every result once and does `flops`
// operations.
inline Cost streaming_cost(const Types& in, const Types& out, double flops) {
  Cost c{flops, 0, 0};
  for (const TensorType& t : in) c.bytes_read += static_cast<double>(t.bytes());
  for (const TensorType& t : out) c.bytes_written += static_cast<double>(t.bytes());
  return c;
}

}  // namespace cutset
