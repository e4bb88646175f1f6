// What the generated functions of <cutset/ops.h> call.
#pragma once
#include <cutset/tensor.h>

#include <source_location>
#include <vector>

#include "ir/core/attributes.h"

namespace cutset {

// Appends to the graph of the first operand; a default Tensor at the end is an optional operand left out.
std::vector<Tensor> append(const char* op, const std::vector<Tensor>& operands, const Attributes& attributes,
                           std::source_location where);

}  // namespace cutset
