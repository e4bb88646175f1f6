// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/gradient_builder.h"

#include "ir/dialect/dialect.h"

using namespace mlir;

namespace cutset::passes {

GraphValue to_graph_value(Value value) { return GraphValue(value.getAsOpaquePointer()); }
Value to_mlir(GraphValue value) { return Value::getFromOpaquePointer(value.handle()); }
GraphValues to_graph_values(ValueRange values) {
  GraphValues list;
  for (Value v : values) list.push_back(to_graph_value(v));
  return list;
}

GraphValues MlirGradientBuilder::op(std::string_view name, const GraphValues& operands,
                                    const Attributes& attributes) {
  SmallVector<Value> values;
  for (const GraphValue v : operands) values.push_back(to_mlir(v));
  if (!build_.failed() && llvm::is_contained(values, Value()))
    differentiated_->emitOpError() << "has a gradient in which operand "
                                   << llvm::find(values, Value()) - values.begin() << " of '" << name
                                   << "' is empty";
  Operation* operation =
      build_.op(name, values, llvm::to_vector(ir::mlir_attributes(context_, attributes).getValue()));
  return operation ? to_graph_values(operation->getResults()) : GraphValues();
}

TensorType MlirGradientBuilder::type(GraphValue value) const {
  return value ? *ir::tensor_type(to_mlir(value).getType()) : TensorType();
}

GraphValue MlirGradientBuilder::constant(DType dtype, double value) {
  return to_graph_value(build_.constant(ir::element_type(context_, dtype), value));
}

}  // namespace cutset::passes
