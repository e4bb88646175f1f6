// What one execution of an op costs, from attributes and types only; speeds belong to devices.
#pragma once
#include "ir/core/types.h"

namespace cutset {

struct Cost {
  double flops = 0;  // multiply-add counts as two
  double bytes_read = 0;
  double bytes_written = 0;
  Cost& operator+=(const Cost& o) {
    flops += o.flops, bytes_read += o.bytes_read, bytes_written += o.bytes_written;
    return *this;
  }
};

// Reads every operand and writes every result once, with `flops` of arithmetic.
inline Cost streaming_cost(const Types& in, const Types& out, double flops) {
  Cost c{flops, 0, 0};
  for (const TensorType& t : in) c.bytes_read += static_cast<double>(t.bytes());
  for (const TensorType& t : out) c.bytes_written += static_cast<double>(t.bytes());
  return c;
}

}  // namespace cutset
