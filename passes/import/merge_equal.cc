// merge-equal: equal ops on equal devices become one; the first one's id survives, and so does a user's pin.
//
//   %0 = cutset.relu %x on "cpu:0" id 1
//   %1 = cutset.relu %x on "cpu:0" id 2      ->   both uses read %0; %2 stays
//   %2 = cutset.relu %x on "opencl:0" id 3
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "passes/passes.h"
#include "passes/support/keep_placement.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct MergeEqual : ModulePass<MergeEqual> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeEqual)
  static constexpr const char* kFlag = "merge-equal";
  static constexpr const char* kSummary = "Common subexpression elimination that keeps placements";

  LogicalResult run(ModuleOp module) {
    KeepPlacement keep;
    IRRewriter rewriter(module.getContext(), &keep);
    DominanceInfo dominance(module);
    eliminateCommonSubExpressions(rewriter, dominance, module);
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> createMergeEqual() { return std::make_unique<MergeEqual>(); }

}  // namespace cutset::passes
