// SPDX-License-Identifier: Apache-2.0
// fuse: joins an op with the op that reads its result, where the device computes both in one kernel.
//
//   %z = cutset.matmul %x, %w on "cpu:0" id 1
//   %a = cutset.add %z, %b on "cpu:0" id 2        ->   %y = cutset.fused_matmul %x, %w, %b <{relu = true}>
//   %y = cutset.relu %a on "cpu:0" id 3                      on "cpu:0" id 1
//
// Problem: a bias and an activation after a large op take as much memory traffic as the op writes, and a
//   launch each.
// Method: greedy. FusableOpInterface proposes the fused op. It replaces the two ops if
//   - no other op reads the result of the first op,
//   - both ops are in one role, and
//   - the first kernel of the device for the fused op supports it and is not a reference kernel, so that a
//     device without such a kernel keeps its kernels for the two ops.
//   The fused op may be fused with its reader again. It has the placement and the source of the first op, and
//   the origin of the second op. The other values that it computes have no buffer; `verify` computes the
//   rounding errors of such values again (runtime/verify/expected.cc).
// Complexity: linear in the number of ops. Failure: none.
#include "ir/structural/structural.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_FUSE
#include "passes/passes.h.inc"

namespace {

struct Fuse : ModulePass<Fuse, impl::FuseBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    if (!config.fuse) return success();
    for (const auto& device : config.devices) devices_[device->name()] = device.get();
    for (auto role : module.getOps<func::FuncOp>()) {
      if (!role->hasAttr(kRole) || role.isExternal()) continue;
      for (auto op : llvm::to_vector(role.getOps<ir::FusableOpInterface>()))
        while (op) op = fuse(op);
    }
    return success();
  }

  // Replaces `op` and its reader by a fused op and returns it. Returns null if they stay.
  ir::FusableOpInterface fuse(Operation* op) {
    if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse()) return {};
    Operation* reader = *op->getUsers().begin();
    auto first = cast<ir::PlacedOpInterface>(op), second = dyn_cast<ir::PlacedOpInterface>(reader);
    if (!second || first.placement().device != second.placement().device) return {};
    OpBuilder builder(reader);
    ir::PlacedBuilder build(builder, op->getLoc(), first.placement());
    const Value result = cast<ir::FusableOpInterface>(op).fuse(build, reader);
    if (!result) return {};
    Operation* fused = result.getDefiningOp();
    if (!is_preferred(fused, first.placement().device)) {
      fused->erase();
      return ir::FusableOpInterface();
    }
    fused->setDiscardableAttrs(reader->getDiscardableAttrDictionary());
    reader->replaceAllUsesWith(fused);
    reader->erase();
    op->erase();
    return dyn_cast<ir::FusableOpInterface>(fused);
  }

  // Whether the first kernel of the device for the op supports it and is not a reference kernel.
  bool is_preferred(Operation* op, StringAttr device) const {
    const auto found = devices_.find(device ? device.getValue() : StringRef());
    if (found == devices_.end()) return false;
    const auto choice =
        found->second->choose(cast<ir::CutsetOpInterface>(op).op_info(), ir::flat_attributes(op).data(),
                              ir::tensor_types(op->getOperands()), ir::tensor_types(op->getResults()));
    return choice && choice->refusals.empty() && !is_reference(*choice->kernel);
  }

  llvm::StringMap<const DeviceDescription*> devices_;
};

}  // namespace

std::unique_ptr<Pass> create_fuse(const CompileConfig& config) { return std::make_unique<Fuse>(config); }

}  // namespace cutset::passes
