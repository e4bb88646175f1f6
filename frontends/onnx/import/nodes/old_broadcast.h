// SPDX-License-Identifier: Apache-2.0
// How the operands of elementwise ops broadcast before version 7 of the operator set.
#pragma once
#include <utility>

#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// Operands 0 and 1 of an elementwise op, so that they broadcast as tensors do. Before version 7, the second
// operand has the shape of the first, or, with the attribute `broadcast`, the sizes of a part of its
// dimensions, which begins at the attribute `axis` or ends with the last dimension. Throws kInvalidData if
// the shapes do not fit.
std::pair<Tensor, Tensor> operands_of(Node& node);

}  // namespace cutset::onnx
