// SPDX-License-Identifier: Apache-2.0
// Indices that may be out of range, which ONNX does not allow and Cutset answers with NaN.
#pragma once
#include "frontends/onnx/export/exported_op.h"

namespace cutset::onnx {

// Indices in the range of a dimension of operand 0.
struct ValidIndices {
  std::string indices;  // those of operand 1, limited to the range
  std::string inside;   // i1: whether an index was in the range; empty if all are
};
// Limits the indices, operand 1, to those of dimension `axis` of operand 0, where a negative one counts from
// the end. Fails if the dimension has no elements.
Result<ValidIndices> valid_indices(ExportedOp& op, int64_t axis);
// The name of a scalar with the element that Cutset gives for an index that is out of range.
std::string element_out_of_range(ExportedOp& op, DType type);

}  // namespace cutset::onnx
