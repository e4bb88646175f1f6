// The kernel that reduction and sum_to_size use.
#pragma once
#include "backends/opencl/launch.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::opencl {

enum class Reduction { kSum, kMax };
// Appends a launch that reduces x, with one work-item per element of y. Elements are f32.
void add_reduction(Launches& list, Reduction what, const ReductionShape& shape, Argument x, Argument y);

}  // namespace cutset::opencl
