// What the kernels share that read or write elements at indices.
#pragma once
#include "backends/portable/type_group.h"

namespace cutset::portable {

// Three macros: INDEX, the C type of the indices; T, the C type of the elements; and OUT_OF_RANGE, the result
// for an index that is out of range (out_of_range in ir/ops/gather/gather_shape.h).
Macros index_macros(DType index, DType element);

}  // namespace cutset::portable
