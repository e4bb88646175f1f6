// The strides with which `expand` reads x.
#pragma once
#include <span>

#include "ir/core/abi_types.h"
#include "ir/core/tensor_view.h"

namespace cutset {
Result<Strides> expand_strides(std::span<const int64_t> x, std::span<const int64_t> like, cutset_i64s axes);
}  // namespace cutset
