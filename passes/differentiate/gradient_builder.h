// SPDX-License-Identifier: Apache-2.0
// Appends the ops of a gradient to a module.
#pragma once
#include "ir/core/op/gradient.h"
#include "ir/dialect/placed_builder.h"

namespace cutset::passes {

// The GradientBuilder of the pass `differentiate`. Its handles stand for mlir::Values.
class MlirGradientBuilder : public GradientBuilder {
 public:
  // Builds the gradient of `differentiated`. Ops are appended with `build`, which must outlive this object.
  // An error makes build.failed() true and emits a diagnostic.
  MlirGradientBuilder(ir::PlacedBuilder& build, mlir::Operation* differentiated)
      : build_(build), differentiated_(differentiated), context_(differentiated->getContext()) {}
  GraphValues op(std::string_view name, const GraphValues& operands, const Attributes& attributes) override;
  TensorType type(GraphValue value) const override;
  GraphValue constant(DType dtype, double value) override;

 private:
  ir::PlacedBuilder& build_;
  mlir::Operation* differentiated_;
  mlir::MLIRContext* context_;
};

GraphValue to_graph_value(mlir::Value value);  // empty if `value` is null
mlir::Value to_mlir(GraphValue value);         // null if `value` is empty
GraphValues to_graph_values(mlir::ValueRange values);

}  // namespace cutset::passes
