// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/softmax/softmax_lines.h"

#include "ir/core/types.h"

namespace cutset {

Result<SoftmaxLines> softmax_lines(std::span<const int64_t> shape, int64_t axis) {
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    return invalid_argument("C2: axis " + std::to_string(axis) + " is not a dimension of " +
                            to_string(Shape(shape.begin(), shape.end())));
  SoftmaxLines lines;
  for (int64_t d = 0; d < rank; ++d)
    (d < at ? lines.outer : d == at ? lines.length : lines.inner) *= shape[static_cast<size_t>(d)];
  return lines;
}

}  // namespace cutset
