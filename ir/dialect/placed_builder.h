// SPDX-License-Identifier: Apache-2.0
// Builds compute ops by name, with inferred result types, at one location and with one placement. Passes use
// it, so that they do not depend on the generated classes of op folders.
#pragma once
#include "ir/dialect/placement.h"
#include "mlir/IR/Builders.h"

namespace cutset::ir {

// Builds ops. After an error, every further op is null, so an expression of several ops needs only one check
// of failed(), at its end.
class PlacedBuilder {
 public:
  // Ops are inserted at the insertion point of `builder`, which must outlive this object.
  PlacedBuilder(mlir::OpBuilder& builder, mlir::Location loc, Placement placement)
      : builder_(builder), loc_(loc), placement_(placement) {}

  // Builds the op `name`, which is written without "cutset.". Returns null if an operand is null, if no op
  // has the name, or if the op's `infer` refuses the operands. failed() is then true. In the last two cases
  // the error message is emitted as a diagnostic at the location.
  mlir::Operation* op(llvm::StringRef name, mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  // Builds an op and returns its first result.
  mlir::Value operator()(llvm::StringRef name, mlir::ValueRange operands,
                         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    mlir::Operation* made = op(name, operands, attributes);
    return made ? made->getResult(0) : mlir::Value();
  }
  bool failed() const { return failed_; }

  // Return attributes of the kinds that compute ops take.
  mlir::NamedAttribute attribute(llvm::StringRef name, double v);
  mlir::NamedAttribute attribute(llvm::StringRef name, llvm::ArrayRef<int64_t> v);
  mlir::NamedAttribute attribute(llvm::StringRef name, bool v);
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Type v);
  // Returns a constant scalar of the element type `element`. For an integer type, `v` is truncated towards
  // zero.
  mlir::Value constant(mlir::Type element, double v);
  // Returns the attributes of `op` without its placement, for an op that takes the same attributes.
  llvm::SmallVector<mlir::NamedAttribute> same_attributes(mlir::Operation* op);

 private:
  mlir::OpBuilder& builder_;
  mlir::Location loc_;
  Placement placement_;
  bool failed_ = false;
};

}  // namespace cutset::ir
