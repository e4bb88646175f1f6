// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/constants.h"

using namespace mlir;

namespace cutset::passes {

Result<Constant> constant_of(ir::ConstantOp op, int32_t device) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value)
    return Failure{ErrorCode::kFailed, "the elements of a constant are not stored in the module",
                   ir::source_of(op->getLoc()), ""};
  Constant c{*ir::tensor_type(op.getType()), {}, device};
  if (c.type.dtype == DType::i1) {
    for (bool b : value.getValues<bool>()) c.bytes.push_back(b);
  } else {
    auto raw = value.getRawData();
    for (size_t i = 0; i < static_cast<size_t>(c.type.bytes()); ++i)
      c.bytes.push_back(static_cast<unsigned char>(raw[i % raw.size()]));
  }
  return c;
}

}  // namespace cutset::passes
