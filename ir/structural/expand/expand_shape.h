// SPDX-License-Identifier: Apache-2.0
// The strides with which `expand` reads its operand, for its reference kernel and the backends.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/tensor_view.h"

namespace cutset {
// Returns one stride per dimension of `like`, in elements of x. The stride is 0 along dimensions along which
// x is broadcast. Fails if the shapes violate constraint C1 or C2 of expand.
Result<Strides> expand_strides(std::span<const int64_t> x, std::span<const int64_t> like, cutset_i64s axes);
}  // namespace cutset
