// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/export/exporters/indices.h"

#include <cmath>

#include "ir/core/tensor_view.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset::onnx {

Result<ValidIndices> valid_indices(ExportedOp& op, int64_t axis) {
  const Size size = op.sizes(0)[static_cast<size_t>(axis)];
  const DType type = op.type(1).dtype;
  if (size.is_fixed() && size.rest == 0)
    return unsupported("its operand has no elements along the axis of the indices");
  if (const HostTensor* indices = op.known(1); indices && size.is_fixed()) {
    const auto rows = static_cast<double>(size.rest);
    bool inside = true;
    for (int64_t i = 0; i < indices->elements(); ++i)
      inside &= indices->at(i) >= -rows && indices->at(i) < rows;
    if (inside) return ValidIndices{op.in(1), ""};
  }
  std::string low, high;
  if (size.is_fixed()) {
    low = op.scalar(type, -static_cast<double>(size.rest));
    high = op.scalar(type, static_cast<double>(size.rest - 1));
  } else {
    const std::string rows = op.cast(op.product_of({size}), type);
    low = op.node("Neg", {rows});
    high = op.node("Sub", {rows, op.scalar(type, 1)});
  }
  const std::string limited = op.node("Clip", {op.in(1), low, high});
  return ValidIndices{limited, op.node("Equal", {limited, op.in(1)})};
}

std::string element_out_of_range(ExportedOp& op, DType type) {
  if (is_float(type)) return op.scalar(type, NAN);
  HostTensor element({type, {}});
  (void)dispatch_all(type,
                     [&]<class T>(T) { element.as<T>()[0] = out_of_range<T>(); });  // all integers and i1
  return op.constant(std::move(element));
}

}  // namespace cutset::onnx
