// SPDX-License-Identifier: Apache-2.0
// cut: divides each function into roles and schedules, with a send and a recv for each pair of value and
// destination.
//
//   func @train(%x) {                        func @"train/cpu:0/forward0"(%x) -> %0
//     %0 = cutset.relu %x on "cpu:0"         func @"train/sim:0/forward1"(%0) -> %1
//     %1 = cutset.neg %0 on "sim:0"     ->   cutset.schedule @"train/cpu:0" { input; call; send channel 0 }
//     return %1                              cutset.schedule @"train/sim:0" { recv channel 0; call; output }
//   }
//
// partition.h says which ops form a role. An all_reduce becomes a start after each role that computes a
// partial sum, and a wait before each role that reads the sum. A role of a micro-batch is called once per
// micro-batch of its class, MicroBatchSums adds what the calls return, and frames.h says which values calls
// pass as one. An operand that is read only for its type (`like`) becomes a cutset.type_only, so it is not
// transferred.
#include "passes/cut/function_cutter.h"
#include "passes/cut/schedule/prepare.h"
#include "passes/passes.h"
#include "passes/support/next_id.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_CUT
#include "passes/passes.h.inc"

namespace {

struct Cut : ModulePass<Cut, impl::CutBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    const int64_t check_id = next_id(module);
    const SymbolTable table(module);
    llvm::StringSet<> symbols;
    for (Operation& op : *module.getBody())
      if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        symbols.insert(name.getValue());
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || function->hasAttr(kRole)) continue;
      if (failed(prepare_for_cut(function))) return failure();
      PipelineSchedules schedules(function);
      const auto divided = schedules.divides_backward();
      if (failed(divided)) return failure();
      auto parts = partition(function, table, *divided);
      if (failed(parts) ||
          failed(cut_function(module, function, *std::move(parts), schedules, *divided, symbols, check_id)))
        return failure();
      function.getBody().dropAllReferences();
      function.getBody().getBlocks().clear();  // only the signature is left
      function.setPrivate();
    }
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_cut(const CompileConfig& config) { return std::make_unique<Cut>(config); }

}  // namespace cutset::passes
