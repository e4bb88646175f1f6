// The kernels that reduction and sum_to_size use.
#pragma once
#include "backends/cuda/language.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::cuda {

enum class Reduction { kSum, kMax };
// Appends the launches that reduce x to y. Elements are f32. The order in which the elements are joined depends on the
// shape only.
//
// If y has many elements, each of them has a thread, and neighbouring threads read neighbouring elements where the last
// kept dimension of x is contiguous. Otherwise a block of threads reduces a part of the elements of one result, and a
// second launch joins the parts.
void add_reduction(Launches& list, Reduction what, const ReductionShape& shape, Argument x, Argument y);

}  // namespace cutset::cuda
