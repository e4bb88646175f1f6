// SPDX-License-Identifier: Apache-2.0
// Indices that may be out of range. ONNX does not allow them, and Cutset gives NaN for them.
#pragma once
#include "frontends/onnx/export/exported_op.h"

namespace cutset::onnx {

// Indices in the range of a dimension of operand 0.
struct ValidIndices {
  std::string indices;  // the indices of operand 1, limited to the range
  std::string inside;   // i1: whether each index was in the range; empty if all indices are
};
// Limits the indices, operand 1, to the range of dimension `axis` of operand 0. A negative index counts from
// the end. Fails if the dimension has no elements.
Result<ValidIndices> valid_indices(ExportedOp& op, int64_t axis);
// Returns the name of a scalar with the element that Cutset gives for an index that is out of range.
std::string element_out_of_range(ExportedOp& op, DType type);

}  // namespace cutset::onnx
