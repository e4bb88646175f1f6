// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/strided_loop.h"

namespace cutset::portable {

bool StridedLoop::is_contiguous() const {
  if (rank > 1) return false;
  for (const Strides& s : strides)
    if (rank == 1 && s.at[0] != 1) return false;
  return true;
}

StridedLoop strided_loop(std::span<const int64_t> shape, std::span<const Strides> operands) {
  StridedLoop loop;
  loop.strides.resize(operands.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    bool joins_previous = loop.rank > 0;
    for (size_t i = 0; joins_previous && i < operands.size(); ++i)
      joins_previous = loop.strides[i].at[loop.rank - 1] == operands[i].at[d] * shape[d];
    if (joins_previous)
      loop.sizes[loop.rank - 1] *= shape[d];
    else
      loop.sizes[loop.rank++] = shape[d];
    for (size_t i = 0; i < operands.size(); ++i) loop.strides[i].at[loop.rank - 1] = operands[i].at[d];
  }
  return loop;
}

Argument::Vector eight(const int64_t* from, int rank, int fill) {
  Argument::Vector v;
  for (int i = 0; i < 8; ++i) v.at[i] = i < 8 - rank ? fill : static_cast<int32_t>(from[i - (8 - rank)]);
  return v;
}

// An integer division is slow on a GPU, so the function has only one division per dimension, and none for the
// first dimension.
std::string offset_function(int rank) {
  std::string text = "FUNCTION int offset_of(int rest, int8 shape, int8 stride) {\n  int at = 0;\n";
  for (int d = 7; d > 8 - rank; --d) {
    const std::string n = std::to_string(d);
    text += "  at += rest % shape.s" + n + " * stride.s" + n + "; rest /= shape.s" + n + ";\n";
  }
  return text + "  return at + rest * stride.s" + std::to_string(rank > 0 ? 8 - rank : 7) + ";\n}\n";
}

}  // namespace cutset::portable
