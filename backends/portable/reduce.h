// SPDX-License-Identifier: Apache-2.0
// The reduction that the kernels of reduction, sum_to_size and other ops use.
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

// Returns these macros:
// - T is the C type of the elements.
// - TOTAL is the type in which elements are joined. The result is a TOTAL that is converted to T; sums and
//   products of integers wrap around.
// - FIRST is the neutral number.
// - JOIN(a, b) joins two numbers of the type TOTAL. NaN is larger and smaller than every number, as in the
//   reference kernel.
// - JOIN_BLOCK(total, part) and WHOLE(total, part) are for loops over many elements. A loop begins with
//   `TOTAL total = FIRST, part = FIRST`, joins each element to `part`, and calls JOIN_BLOCK after at most
//   SUM_BLOCK elements. WHOLE is the result. These two macros add floats in blocks and join everything else
//   in its order. kBlockSums must precede them.
Macros join_macros(Reduction what, DType type);
// Returns the largest or the smallest value of a type for which there is a C type, as an expression.
std::string limit_of(DType type, bool largest);

}  // namespace cutset::portable
