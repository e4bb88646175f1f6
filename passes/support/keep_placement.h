// What keeps placements through rewriting, and what checks that they were kept.
#pragma once
#include <map>

#include "ir/dialect/dialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassInstrumentation.h"

namespace cutset::passes {

// Gives new ops the placement of the op whose rewrite made them. Two moments cover greedy rewriting,
// folding and conversion: inside a pattern the root is known at insertion; outside (folds, conversion
// with rollback) the replaced op is known at replacement. Only ops without a placement are given one, so
// patterns may set their own.
class KeepPlacement : public mlir::RewriterBase::Listener {
 public:
  void notifyPatternBegin(const mlir::Pattern&, mlir::Operation* op) override;
  void notifyPatternEnd(const mlir::Pattern&, mlir::LogicalResult) override { root_.reset(); }
  void notifyOperationInserted(mlir::Operation* op, mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationErased(mlir::Operation* op) override { made_.erase(op); }
  void notifyOperationReplaced(mlir::Operation* op, mlir::ValueRange by) override;

 private:
  std::optional<ir::Placement> root_;
  llvm::DenseSet<mlir::Operation*> made_;
};

// After every pass: none that the user placed has moved. From `functions` on every op has an id; from
// `place` on every op
// has a device and a reason. Errors name the pass.
class CheckPlacement : public mlir::PassInstrumentation {
 public:
  explicit CheckPlacement(bool& failed) : failed_(failed) {}
  void runBeforePass(mlir::Pass* pass, mlir::Operation* op) override;
  void runAfterPass(mlir::Pass* pass, mlir::Operation* op) override;

 private:
  std::map<int64_t, mlir::StringAttr> pins_;
  bool identified_ = false, placed_ = false;
  bool& failed_;
};

}  // namespace cutset::passes
