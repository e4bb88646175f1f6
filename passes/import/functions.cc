// functions: from the one graph the user built, the functions a session runs.
//
//   func @graph(%x) -> (loss, correct)  ->  func @train(%x) -> (loss)      where the module has an optimizer
//                                           func @evaluate(%x) -> (loss, correct)
//
// Every op gets a stable id first, so an op is placed alike in both.
#include "ir/dialect/dialect.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

struct Functions : ModulePass<Functions> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Functions)
  static constexpr const char* kFlag = "functions";
  static constexpr const char* kSummary = "Make @train and @evaluate of @graph";

  LogicalResult run(ModuleOp module) {
    auto graph = module.lookupSymbol<func::FuncOp>("graph");
    if (!graph) return success();
    if (graph.isExternal()) return graph.emitError("the function @graph has no body");
    int64_t next = 1;
    graph.walk([&](ir::PlacedOpInterface op) { next = std::max(next, op.placement().id + 1); });
    graph.walk([&](ir::PlacedOpInterface op) {
      if (!op.placement().id) op.placement().id = next++;
    });
    if (auto loss = module->getAttrOfType<StringAttr>(kLoss)) {
      func::FuncOp train = graph.clone();
      train.setName("train");
      module.insert(graph, train);
      llvm::BitVector drop(train.getNumResults());
      for (unsigned i = 0; i < train.getNumResults(); ++i)
        if (train.getResultAttrOfType<StringAttr>(i, kOutput) != loss) drop.set(i);
      if (drop.count() + 1 != train.getNumResults())
        return graph.emitError() << "the loss " << loss << " is not one output of the graph";
      train.getBody().back().getTerminator()->eraseOperands(drop);
      (void)train.eraseResults(drop);
    }
    graph.setName("evaluate");
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> createFunctions() { return std::make_unique<Functions>(); }

}  // namespace cutset::passes
