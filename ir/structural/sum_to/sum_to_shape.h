// Which dimensions of x were broadcast from `like`.
#pragma once
#include <span>

#include "ir/ops/reduction/reduction_shape.h"

namespace cutset {
ReductionShape sum_to_shape(std::span<const int64_t> x, std::span<const int64_t> like);
}  // namespace cutset
