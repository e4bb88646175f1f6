// SPDX-License-Identifier: Apache-2.0
// Code for kernels that read or write elements at indices.
#pragma once
#include "backends/portable/macros.h"
#include "ir/core/types.h"

namespace cutset::portable {

// Returns the definition of INDEX, the C type of the indices.
std::string index_definition(DType index);
// Returns the macro OUT_OF_RANGE: the result for an index that is out of range (out_of_range in
// ir/ops/gather/gather_shape.h).
Macros::value_type out_of_range_macro(DType element);
// Returns the macros T, the C type of the elements, and OUT_OF_RANGE.
Macros element_macros(DType element);

}  // namespace cutset::portable
