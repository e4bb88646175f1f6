#include "passes/cut/needed_by_results.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

DenseSet<Operation*> needed_by_results(func::FuncOp function, bool gradients) {
  DenseSet<Operation*> needed;
  SmallVector<Value> work;
  for (auto [i, v] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
    if (gradients || !function.getResultAttr(static_cast<unsigned>(i), kGradient)) work.push_back(v);
  while (!work.empty())
    if (Operation* definer = work.pop_back_val().getDefiningOp(); definer && needed.insert(definer).second)
      llvm::append_range(work, definer->getOperands());
  return needed;
}

}  // namespace cutset::passes
