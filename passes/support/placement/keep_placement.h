// SPDX-License-Identifier: Apache-2.0
// Keeps the placements of ops while patterns rewrite them, and checks after every pass that they were kept.
#pragma once
#include <map>

#include "ir/dialect/dialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassInstrumentation.h"

namespace cutset::passes {

// Gives new ops the placement of the op whose rewrite made them. Inside a pattern, a new op gets the
// placement of the root of the pattern when it is inserted. Outside of patterns (folds, conversions with
// rollback), it gets the placement of the op that it replaces. An op that already has a placement keeps it,
// so patterns may set placements.
class KeepPlacement : public mlir::RewriterBase::Listener {
 public:
  void notifyPatternBegin(const mlir::Pattern&, mlir::Operation* op) override;
  void notifyPatternEnd(const mlir::Pattern&, mlir::LogicalResult) override { root_.reset(); }
  void notifyOperationInserted(mlir::Operation* op, mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationErased(mlir::Operation* op) override { made_.erase(op); }
  void notifyOperationReplaced(mlir::Operation* op, mlir::ValueRange by) override;

 private:
  std::optional<ir::Placement> root_;      // the placement of the root of the current pattern
  llvm::DenseSet<mlir::Operation*> made_;  // new ops that were not yet seen in a replacement
};

// The properties of placements that hold from some pass on until the end of the compilation. One object
// serves all pass managers of a compilation.
struct PlacementPromises {
  std::map<int64_t, mlir::StringAttr> pins;  // id -> the device to which the user pinned the op
  bool identified = false;                   // every op has an id; true after `make-functions`
  bool placed = false;                       // every op has a device and a reason; true after `place`
  bool broken = false;  // a property was violated; the diagnostic names the op and the pass
};

// Runs after every pass. It emits an error, and sets `broken`, if an op lost its pin, its id, its device or
// its reason.
class CheckPlacement : public mlir::PassInstrumentation {
 public:
  explicit CheckPlacement(PlacementPromises& promises) : promises_(promises) {}
  void runBeforePass(mlir::Pass* pass, mlir::Operation* op) override;
  void runAfterPass(mlir::Pass* pass, mlir::Operation* op) override;

 private:
  PlacementPromises& promises_;
};

}  // namespace cutset::passes
