// SPDX-License-Identifier: Apache-2.0
// Broadcasts operands of elementwise ops as versions before 7 of the operator set do.
#pragma once
#include <utility>

#include "frontends/onnx/import/nodes/node.h"

namespace cutset::onnx {

// Returns operands 0 and 1 of an elementwise op with shapes that broadcast in NumPy's way. Before version 7,
// the second operand has the shape of the first operand. With the attribute `broadcast`, it has the sizes of
// consecutive dimensions of the first operand, which begin at the attribute `axis` or end with the last
// dimension. Throws kInvalidData if the shapes do not fit.
std::pair<Tensor, Tensor> operands_of(Node& node);

}  // namespace cutset::onnx
