// What the generated functions of <cutset/ops.h> call.
#pragma once
#include <cutset/tensor.h>

#include <source_location>
#include <vector>

#include "ir/core/attributes.h"

namespace cutset {

// Appends to the graph of the first operand. The last `optional` operands may be empty Tensors, which are left
// out; any other empty one is an error at `where`.
std::vector<Tensor> append(const char* op, const std::vector<Tensor>& operands, const Attributes& attributes,
                           std::source_location where, size_t optional = 0);

}  // namespace cutset
