// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/schedule/prepare.h"

#include "ir/structural/structural.h"
#include "passes/cut/schedule/micro_batch_sums.h"
#include "passes/passes.h"
#include "passes/support/placement/rounds.h"
#include "passes/support/placement/value_origin.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset::passes {
namespace {

LogicalResult check_ports(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttrOfType<StringAttr>(i, kInput))
      return function.emitError() << "argument " << i << " has no " << kInput;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttrOfType<StringAttr>(i, kOutput))
      return function.emitError() << "result " << i << " has no " << kOutput;
  return success();
}

// What the attributes of a function say about its shards. All are null without micro-batches.
struct ShardAttributes {
  DenseI64ArrayAttr samples, classes, replicas;
  explicit ShardAttributes(func::FuncOp function)
      : samples(function->getAttrOfType<DenseI64ArrayAttr>(kShards)),
        classes(function->getAttrOfType<DenseI64ArrayAttr>(kShardClasses)),
        replicas(function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas)) {}
};

// Returns the number of classes. Fails unless the classes count up from 0, each class belongs to one replica,
// and the shards of a replica are consecutive.
FailureOr<int64_t> check_shards(func::FuncOp function, const ShardAttributes& shards) {
  const auto& [samples, classes, replicas] = shards;
  if (function->hasAttr(kSchedule) && (!classes || !function->getAttrOfType<StringAttr>(kSchedule)))
    return function.emitError() << kSchedule << " must be a string, and the function must have "
                                << kShardClasses;
  SmallVector<int64_t> replica_of;  // per class
  if (classes) {
    if (!samples || samples.size() != classes.size() || !replicas || replicas.size() != classes.size() ||
        !function->getAttrOfType<BoolAttr>(kSumAlongTree))
      return function.emitError() << "has " << kShardClasses << ", but no matching " << kShards << ", "
                                  << kShardReplicas << " and " << kSumAlongTree;
    int64_t last = 0;
    for (auto [c, replica] : llvm::zip(classes.asArrayRef(), replicas.asArrayRef())) {
      const auto count = static_cast<int64_t>(replica_of.size());
      if (c < 0 || c > count)
        return function.emitError() << "the classes of its shards do not count up from 0";
      if (c == count) replica_of.push_back(replica);
      if (replica < last || replica != replica_of[static_cast<size_t>(c)])
        return function.emitError()
               << "the shards of a class belong to several replicas, or the shards of a replica "
                  "are not consecutive";
      last = replica;
    }
  }
  constexpr int64_t kMostSamples = int64_t{1} << 40;
  for (int64_t n : samples ? samples.asArrayRef() : ArrayRef<int64_t>())
    if (n < 0 || n > kMostSamples) return function.emitError() << "a shard has " << n << " samples";
  return static_cast<int64_t>(replica_of.size());
}

// Returns, by operand of a sum over micro-batches, the class to which the operand must belong.
FailureOr<SmallVector<int64_t>> check_sum(ir::SumMicroBatchesOp sum, const ShardAttributes& shards) {
  const auto& [samples, classes, replicas] = shards;
  if (!classes || static_cast<int64_t>(sum.getLast()) > classes.size())
    return sum.emitOpError() << "adds the shards before " << sum.getLast() << ", and there are "
                             << (classes ? classes.size() : 0);
  if (replicas[static_cast<int64_t>(sum.getFirst())] != replicas[static_cast<int64_t>(sum.getLast()) - 1])
    return sum.emitOpError("adds micro-batches of several replicas");
  SmallVector<int64_t> summed = classes_of_sum(sum, classes.asArrayRef());
  if (sum.getPartials().size() != summed.size())
    return sum.emitOpError() << "has " << sum.getPartials().size() << " operands for " << summed.size()
                             << " classes of shards";
  return summed;
}

// Fails if the op reads values of micro-batches that it must not read.
LogicalResult check_operands(func::FuncOp function, Operation& op, const ShardAttributes& shards) {
  auto of_op = op.getAttrOfType<IntegerAttr>(kShardClass);
  if (of_op && !isa<ir::PlacedOpInterface>(op)) return op.emitOpError("cannot belong to a micro-batch");
  if (of_op && !op.hasAttr(kOrigin))
    return op.emitOpError() << "belongs to a micro-batch, and has no " << kOrigin << " (run --split first)";
  auto sum = dyn_cast<ir::SumMicroBatchesOp>(op);
  FailureOr<SmallVector<int64_t>> summed = SmallVector<int64_t>();
  if (sum && failed(summed = check_sum(sum, shards))) return failure();
  for (auto [i, v] : llvm::enumerate(op.getOperands())) {
    const int64_t from = class_of(function, v);
    const bool fits = sum ? from == (*summed)[i] && v.getDefiningOp()
                      : op.hasTrait<OpTrait::IsTerminator>() || from < 0 ? true
                                                                         : of_op && of_op.getInt() == from;
    if (!fits)
      return op.emitOpError() << "reads operand " << i << ", which belongs to another class of micro-batches";
  }
  return success();
}

// Checks what `cut` assumes about micro-batches: every class has a micro-batch, the values of micro-batches
// have origins, a micro-batch reads no value of another class, and other ops read the values of micro-batches
// only as sums.
LogicalResult check_micro_batches(func::FuncOp function) {
  const ShardAttributes shards(function);
  const FailureOr<int64_t> classes = check_shards(function, shards);
  if (failed(classes)) return failure();
  const auto in_range = [&](Attribute attribute) {
    auto shard_class = dyn_cast_or_null<IntegerAttr>(attribute);
    return !attribute || (shard_class && shard_class.getInt() >= 0 && shard_class.getInt() < *classes);
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!in_range(function.getArgAttr(i, kShardClass)))
      return function.emitError() << "argument " << i << " has a " << kShardClass << " that is out of range";
  for (Operation& op : function.getBody().front()) {
    if (!in_range(op.getAttr(kShardClass)))
      return op.emitOpError() << "has a " << kShardClass << " that is out of range";
    if (failed(check_operands(function, op, shards))) return failure();
  }
  return success();
}

void drop_type_only(func::FuncOp function) {
  function.walk([&](ir::CutsetOpInterface op) {
    for (OpOperand& operand : op->getOpOperands()) {
      if (!op.op_info().reads_type_only(operand.getOperandNumber())) continue;
      OpBuilder b(op);
      operand.set(ir::TypeOnlyOp::create(b, operand.get().getLoc(), operand.get().getType()));
    }
  });
  erase_dead(function.getBody().front());
}

}  // namespace

LogicalResult prepare_for_cut(func::FuncOp function) {
  if (failed(check_ports(function)) || failed(check_micro_batches(function))) return failure();
  drop_type_only(function);
  return success();
}

}  // namespace cutset::passes
