// SPDX-License-Identifier: Apache-2.0
// The reduction that reduction, sum_to_size and others use.
#pragma once
#include "backends/portable/launches.h"
#include "backends/portable/macros.h"
#include "ir/ops/reduction/reduction_shape.h"

namespace cutset::portable {

enum class Reduction { kSum, kProduct, kMax, kMin };
// Appends the launches that reduce x to y. Elements have the type `type`, for which there is a C type. The
// order in which the elements are joined depends on the shape only. Each backend defines this function.
void add_reduction(Launches& list, Reduction what, const ReductionShape& shape, Argument x, Argument y,
                   DType type = DType::f32);

// Four macros: T, the C type of the elements; TOTAL, the type in which they are joined; FIRST, the neutral
// number; and JOIN(a, b), which joins two numbers of the type TOTAL. A TOTAL that is converted to T is right:
// sums and products of integers wrap around. NaN is larger and smaller than every number, as in the reference
// kernel. Two more macros are for loops over many elements, which begin with `TOTAL total = FIRST, part =
// FIRST`, join each element to `part`, and call JOIN_BLOCK(total, part) after at most SUM_BLOCK elements:
// WHOLE(total, part) is the result. They add floats in blocks and join everything else in its order.
// kBlockSums must precede them.
Macros join_macros(Reduction what, DType type);
// The largest or the smallest value of a type for which there is a C type, as an expression.
std::string limit_of(DType type, bool largest);

}  // namespace cutset::portable
