// The reduction that reduction and sum_to_size use.
#pragma once
#include "backends/portable/launches.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::portable {

enum class Reduction { kSum, kMax };
// Appends the launches that reduce x to y. Elements are f32. The order in which the elements are joined depends on the
// shape only. Each backend defines this function.
void add_reduction(Launches& list, Reduction what, const ReductionShape& shape, Argument x, Argument y);

// The source of the macro JOIN(a, b), which joins two numbers, and of the macro FIRST, the neutral number. NaN is larger
// than every number, as in the reference kernel.
const char* join_macros(Reduction what);

}  // namespace cutset::portable
