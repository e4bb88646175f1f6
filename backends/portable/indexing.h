// What the kernels share that read or write elements at indices.
#pragma once
#include "backends/portable/launches.h"

namespace cutset::portable {

// The source of three macros: INDEX, the C type of the indices; T, the C type of the elements; and OUT_OF_RANGE, the result
// for an index that is out of range (out_of_range in ir/ops/gather/gather_shape.h).
std::string index_macros(DType index, DType element);

}  // namespace cutset::portable
