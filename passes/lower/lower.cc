// SPDX-License-Identifier: Apache-2.0
// lower: folds constants and chooses the kernel of every op.
//
//   %t = cutset.type_only : tensor<64x8xf32>     %n = cutset.constant dense<64.0> : tensor<f32>
//   %n = cutset.count %t on "reference:0"  ->    %s = cutset.reduce_sum %x on "reference:0"
//   %s = cutset.reduce_sum %x on "reference:0"            {cutset.kernel = "reduce_sum.reference"}
//
// An op is folded by its reference kernel if each operand is a constant or is read only for its type, and if
// its only result has at most 1024 bytes. Every other op gets the first kernel of its device that accepts it.
// The attribute cutset.refused holds the reasons of the kernels that refused it.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/support/layout/folding.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_LOWER
#include "passes/passes.h.inc"

namespace {

struct Lower : ModulePass<Lower, impl::LowerBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    for (auto role : module.getOps<func::FuncOp>()) {
      if (!role->hasAttr(kRole)) continue;
      if (role.isExternal()) return role.emitError() << "the role @" << role.getName() << " has no body";
      if (!config.for_reference) {  // the reference program computes every value that a partitioned program
                                    // may send
        for (auto op : llvm::to_vector(role.getOps<ir::PlacedOpInterface>())) fold(op);
        erase_dead(role.getBody().front());
      }
      for (auto op : role.getOps<ir::PlacedOpInterface>())
        if (failed(choose(op, config.devices))) return failure();
    }
    return success();
  }

  static LogicalResult choose(ir::PlacedOpInterface op, const DeviceList& devices) {
    const OpInfo& info = cast<ir::CutsetOpInterface>(*op).op_info();
    if (info.view) return success();
    if (!op.placement().device) return op->emitOpError("has no device: it must be placed first");
    for (const auto& device : devices) {
      if (device->name() != op.placement().device.getValue()) continue;
      auto choice = device->choose(info, ir::flat_attributes(op).data(), ir::tensor_types(op->getOperands()),
                                   ir::tensor_types(op->getResults()));
      if (!choice) return op->emitOpError() << choice.error().what;
      Builder b(op->getContext());
      op->setDiscardableAttr(kKernel, b.getStringAttr(choice->kernel->name));
      SmallVector<StringRef> refusals(choice->refusals.begin(), choice->refusals.end());
      if (!refusals.empty()) op->setDiscardableAttr(kRefused, b.getStrArrayAttr(refusals));
      return success();
    }
    return op->emitOpError() << "is on " << op.placement().device << ", which is not among the devices";
  }
};

}  // namespace

std::unique_ptr<Pass> create_lower(const CompileConfig& config) { return std::make_unique<Lower>(config); }

}  // namespace cutset::passes
