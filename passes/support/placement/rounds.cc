// SPDX-License-Identifier: Apache-2.0
#include "passes/support/placement/rounds.h"

#include <map>

#include "ir/dialect/dialect.h"
#include "ir/structural/structural.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

bool is_of_micro_batch(Operation* op) { return op->hasAttr(kShardClass); }

// Returns the round in which an op may read a value that is computed in round `round`.
int read_round(Operation* definer, int round, Operation* reader) {
  return is_of_micro_batch(definer) == is_of_micro_batch(reader) ? round : round + 1;
}

// Whether the operand says only what type a result has, so that its value need not be known.
bool is_type_only(OpOperand& operand) {
  auto rules = dyn_cast<ir::CutsetOpInterface>(operand.getOwner());
  return rules && rules.op_info().reads_type_only(operand.getOperandNumber());
}

}  // namespace

llvm::DenseMap<Operation*, int> rounds_of(func::FuncOp function) {
  llvm::DenseMap<Operation*, int> rounds;
  if (!function->hasAttr(kShardClasses)) return rounds;
  Block& body = function.getBody().front();
  const auto fixed = [](Operation* op) { return !op || isa<ir::ReadOp, ir::ConstantOp, ir::TypeOnlyOp>(op); };
  int last = 0;  // the largest even round
  for (Operation& op : body.without_terminator()) {
    if (fixed(&op)) continue;
    int round = is_of_micro_batch(&op) ? 1 : 0;
    for (OpOperand& operand : op.getOpOperands())
      if (Operation* definer = operand.get().getDefiningOp(); !fixed(definer) && !is_type_only(operand))
        round = std::max(round, read_round(definer, rounds.lookup(definer), &op));
    rounds[&op] = round;
    last = std::max(last, (round + 1) / 2 * 2);
  }
  for (Operation& op : llvm::reverse(body.without_terminator())) {
    if (fixed(&op)) continue;
    int round = is_of_micro_batch(&op) ? std::max(last - 1, 1) : last;
    for (OpOperand& use : op.getUses())
      if (Operation* user = use.getOwner(); !user->hasTrait<OpTrait::IsTerminator>() && !is_type_only(use))
        round = std::min(round,
                         rounds.lookup(user) - (is_of_micro_batch(&op) == is_of_micro_batch(user) ? 0 : 1));
    rounds[&op] = round;
  }
  return rounds;
}

SmallVector<MicroBatch> micro_batches_of(func::FuncOp function) {
  SmallVector<MicroBatch> list;
  auto classes = function->getAttrOfType<DenseI64ArrayAttr>(kShardClasses);
  if (!classes) return list;
  const ArrayRef<int64_t> samples = function->getAttrOfType<DenseI64ArrayAttr>(kShards).asArrayRef(),
                          replicas = function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas).asArrayRef();
  std::map<int64_t, int64_t> first_of, count;  // by class: the first micro-batch; the number so far
  int64_t start = 0;
  for (auto [i, shard_class] : llvm::enumerate(classes.asArrayRef())) {
    const auto shard = static_cast<int64_t>(i);
    list.push_back({shard, replicas[i], shard_class, start,
                    shard - first_of.try_emplace(shard_class, shard).first->second, count[shard_class]++});
    start += samples[i];
  }
  return list;
}

int64_t stage_of(Operation* op) {
  auto stage = op->getAttrOfType<IntegerAttr>(kStage);
  return stage ? stage.getInt() : 0;
}

int64_t class_of(func::FuncOp function, Value v) {
  auto argument = dyn_cast<BlockArgument>(v);
  auto shard_class = argument ? function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kShardClass)
                              : v.getDefiningOp()->getAttrOfType<IntegerAttr>(kShardClass);
  return shard_class ? shard_class.getInt() : -1;
}

}  // namespace cutset::passes
