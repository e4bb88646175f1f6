// SPDX-License-Identifier: Apache-2.0
// recompute: computes the activations of a stage again for its backward ops.
//
//   %h = cutset.matmul %x, %w on "cpu:0"           %h = cutset.matmul %x, %w on "cpu:0"
//   %y = cutset.tanh %h on "cpu:0"                 %y = cutset.tanh %h on "cpu:0"
//   ...                                       ->   ...
//   %d = cutset.tanh_backward %e, %y               %again = cutset.matmul %x, %w on "cpu:0"
//                                                  %there = cutset.tanh %again on "cpu:0"
//                                                  %d = cutset.tanh_backward %e, %there
//
// Problem: a stage of a pipeline keeps the values that its backward ops need for every micro-batch whose
//   backward pass has not run yet. Keep only the inputs of the stages that the strategy names.
// Method: a backward op reads copies of the forward ops of its stage. A copy reads other copies, even on the
//   other devices of a tensor axis, down to the values that the stage does not compute for a micro-batch:
//   inputs, values of other stages, variables, and sums over all micro-batches. A forward op is copied at
//   most once. No result and no other stage needs the copies, so they are backward ops
//   (passes/support/layout/forward_ops.h), and `cut` puts them into the role of the backward pass. They
//   compute the same bits, because an op has no state: random numbers depend on the step and on the position
//   of an element only.
// Source: Chen et al., "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174, section 3; per
//   stage as in Huang et al., "GPipe", NeurIPS 2019, section 2.3.
// Complexity: O(ops + operands). Failure: none.
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/support/layout/forward_ops.h"
#include "passes/support/placement/rounds.h"

using namespace mlir;

namespace cutset::passes {

#define GEN_PASS_DEF_RECOMPUTE
#include "passes/passes.h.inc"

namespace {

class Recomputer {
 public:
  Recomputer(func::FuncOp function, const CompileConfig& config)
      : function_(function), pipeline_(*config.strategy.find<Pipeline>()), forward_(forward_ops(function)) {
    const DeviceGrid grid = config.grid();
    for (auto [number, device] : llvm::enumerate(config.devices))
      position_[StringAttr::get(function.getContext(), device->name())] =
          static_cast<int64_t>(grid.position_of(number));
  }

  void run() {
    for (Operation& op : llvm::make_early_inc_range(function_.getBody().front()))
      if (op.hasAttr(kShardClass) && !forward_.contains(&op))
        for (OpOperand& operand : op.getOpOperands())
          if (Operation* definer = copied(operand, &op))
            operand.set(copy_of(definer, &op)->getResult(cast<OpResult>(operand.get()).getResultNumber()));
  }

 private:
  // Returns the number of the stage of an op. All devices of a tensor axis at one position have the same
  // stage.
  int64_t stage_number(Operation* op) const {
    auto placed = dyn_cast<ir::PlacedOpInterface>(op);
    return pipeline_.chunks > 1 ? stage_of(op)
                                : position_.lookup(placed ? placed.placement().device : StringAttr());
  }
  // Returns the op that computes the operand, if `reader` needs it computed again in the same stage, or else
  // null. An operand that is read only for its type needs no copy.
  Operation* copied(OpOperand& operand, Operation* reader) const {
    Operation* op = operand.get().getDefiningOp();
    if (!op || !op->hasAttr(kShardClass) || !isa<ir::CutsetOpInterface>(op) || !forward_.contains(op))
      return nullptr;
    auto rules = dyn_cast<ir::CutsetOpInterface>(operand.getOwner());
    if (rules && rules.op_info().reads_type_only(operand.getOperandNumber())) return nullptr;
    const int64_t stage = stage_number(op);
    return stage == stage_number(reader) && recomputes(pipeline_, stage) ? op : nullptr;
  }

  // Returns the copy of `forward`. If there is none yet, it is made in front of `reader`, which is the first
  // reader in the order of the function.
  Operation* copy_of(Operation* forward, Operation* reader) {
    if (Operation* copy = copies_.lookup(forward)) return copy;
    SmallVector<Operation*> work = {
        forward};  // an explicit stack, because a stage may have a chain of any length
    while (!work.empty()) {
      Operation* op = work.back();
      const size_t before = work.size();
      for (OpOperand& operand : op->getOpOperands())
        if (Operation* definer = copied(operand, reader); definer && !copies_.contains(definer))
          work.push_back(definer);
      if (work.size() > before) continue;  // its operands come first
      work.pop_back();
      if (copies_.contains(op)) continue;
      OpBuilder at(reader);
      Operation* copy = at.clone(*op);
      for (OpOperand& operand : copy->getOpOperands())
        if (Operation* definer = copied(operand, copy))
          operand.set(copies_.lookup(definer)->getResult(cast<OpResult>(operand.get()).getResultNumber()));
      copies_[op] = copy;
    }
    return copies_.lookup(forward);
  }

  func::FuncOp function_;
  const Pipeline& pipeline_;
  DenseMap<StringAttr, int64_t> position_;  // of each device in the pipeline of its replica
  const DenseSet<Operation*> forward_;
  DenseMap<Operation*, Operation*> copies_;
};

struct Recompute : ModulePass<Recompute, impl::RecomputeBase> {
  using ModulePass::ModulePass;

  LogicalResult run(ModuleOp module) {
    const Pipeline* pipeline = config.strategy.find<Pipeline>();
    if (!pipeline || pipeline->recompute.empty()) return success();
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && function->hasAttr(kSchedule)) Recomputer(function, config).run();
    return success();
  }
};

}  // namespace

std::unique_ptr<Pass> create_recompute(const CompileConfig& config) {
  return std::make_unique<Recompute>(config);
}

}  // namespace cutset::passes
