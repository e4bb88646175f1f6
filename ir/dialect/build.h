// Builds ops by name, with inferred types, at one location and with one placement: what gradients,
// decompositions and passes use, so that no file needs the generated classes of another room.
#pragma once
#include "ir/dialect/placement.h"
#include "mlir/IR/Builders.h"

namespace cutset::ir {

class Build {
 public:
  Build(mlir::OpBuilder& builder, mlir::Location loc, Placement placement)
      : builder_(builder), loc_(loc), placement_(placement) {}

  // `name` is without "cutset.". Where the rules refuse the operands, or one of them is null, the result is null,
  // `failed` is true from then on, and the rule's sentence is a diagnostic at the location. So expressions of
  // several ops need one check, at their end.
  mlir::Operation* op(llvm::StringRef name, mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value operator()(llvm::StringRef name, mlir::ValueRange operands,
                         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    mlir::Operation* made = op(name, operands, attributes);
    return made ? made->getResult(0) : mlir::Value();
  }
  bool failed() const { return failed_; }
  mlir::NamedAttribute attribute(llvm::StringRef name, double v);
  mlir::NamedAttribute attribute(llvm::StringRef name, llvm::ArrayRef<int64_t> v);
  mlir::NamedAttribute attribute(llvm::StringRef name, bool v);
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Type v);
  mlir::Value constant(mlir::Type element, double v);  // rank 0

  // The inherent attributes of `op` less its placement, to hand on to its backward ops.
  llvm::SmallVector<mlir::NamedAttribute> same_attributes(mlir::Operation* op);
  mlir::Value sum_to(mlir::Value gradient, mlir::Value operand);  // undoes broadcasting

 private:
  mlir::OpBuilder& builder_;
  mlir::Location loc_;
  Placement placement_;
  bool failed_ = false;
};

}  // namespace cutset::ir
