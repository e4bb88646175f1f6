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

// What holds from some pass on until the end of the compilation, whichever pass managers run the rest.
struct PlacementPromises {
  std::map<int64_t, mlir::StringAttr> pins;  // by id: where the user put an op
  bool identified = false;                   // every op has an id: since `functions`
  bool placed = false;                       // every op has a device and a reason: since `place`
  bool broken = false;                       // one of them was; the diagnostic names the op and the pass
};

// Checks the promises after every pass.
class CheckPlacement : public mlir::PassInstrumentation {
 public:
  explicit CheckPlacement(PlacementPromises& promises) : promises_(promises) {}
  void runBeforePass(mlir::Pass* pass, mlir::Operation* op) override;
  void runAfterPass(mlir::Pass* pass, mlir::Operation* op) override;

 private:
  PlacementPromises& promises_;
};

}  // namespace cutset::passes
