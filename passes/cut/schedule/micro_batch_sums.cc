// SPDX-License-Identifier: Apache-2.0
#include "passes/cut/schedule/micro_batch_sums.h"

#include <set>

#include "passes/cut/new_role.h"
#include "passes/passes.h"
#include "passes/support/placement/value_origin.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// Returns the op that computes the partial sum of the first class. It stands for the partial sums of all
// classes.
Operation* made_by(ir::SumMicroBatchesOp sum) { return sum.getPartials()[0].getDefiningOp(); }

// Returns the origin of the sum over the micro-batches [first, last).
Attribute origin_of_range(ir::SumMicroBatchesOp sum, int64_t first, int64_t last) {
  const auto partial = cast<OpResult>(sum.getPartials()[0]);
  const ValueOrigin origin = origin_of(partial.getOwner(), partial.getResultNumber());
  return origin_attribute(sum.getContext(), origin.number, first, last, origin.factor, {kPartial},
                          origin.piece);
}

}  // namespace

SmallVector<int64_t> classes_of_sum(ir::SumMicroBatchesOp sum, ArrayRef<int64_t> classes) {
  const auto summed = classes.slice(sum.getFirst(), sum.getLast() - sum.getFirst());
  const std::set<int64_t> sorted(summed.begin(), summed.end());
  return SmallVector<int64_t>(sorted.begin(), sorted.end());
}

MicroBatchSums::MicroBatchSums(func::FuncOp function, const Frames& frames,
                               std::function<std::string(const char*)> fresh)
    : function_(function), frames_(frames), fresh_(std::move(fresh)) {}

void MicroBatchSums::include(ir::SumMicroBatchesOp sum) {
  const auto first = static_cast<int64_t>(sum.getFirst()), last = static_cast<int64_t>(sum.getLast());
  const bool along_tree = function_->getAttrOfType<BoolAttr>(kSumAlongTree).getValue();
  RangeSums& range =
      ranges_.try_emplace({first, last}, RangeSums{AdditionOrder({first, last}, along_tree), {}, {}, {}, {}})
          .first->second;
  const int64_t frame = frames_.number_of(sum.getPartials()[0]);
  if (frame >= 0) {
    const auto [group, first] = range.of_frame.try_emplace(frame, range.groups.size());
    if (!first) return range.groups[group->second].sums.push_back(sum);
  }
  range.groups.push_back({{sum}, {}});
  for (Value partial : sum.getPartials())
    range.groups.back().partials[class_of(function_, partial)] = partial;
}

SmallVector<std::pair<ir::SumMicroBatchesOp, Value>> MicroBatchSums::totals(OpBuilder& at) const {
  SmallVector<std::pair<ir::SumMicroBatchesOp, Value>> list;
  for (const auto& [bounds, range] : ranges_)
    for (auto [group, total] : llvm::zip(range.groups, range.kept.begin()->second)) {
      SmallVector<Value> values{total};
      if (auto frame = dyn_cast<TupleType>(total.getType()))
        values = ir::UnpackOp::create(at, total.getLoc(), frame.getTypes(), total).getValues();
      for (auto [sum, value] : llvm::zip(group.sums, values)) list.emplace_back(sum, value);
    }
  return list;
}

LogicalResult MicroBatchSums::add(OpBuilder& at, const MicroBatch& micro_batch,
                                  function_ref<Value(Value)> here) {
  for (auto& [bounds, range] : ranges_)
    if (bounds.first <= micro_batch.shard && micro_batch.shard < bounds.second &&
        failed(add(at, range, micro_batch, here)))
      return failure();
  return success();
}

LogicalResult MicroBatchSums::add(OpBuilder& at, RangeSums& range, const MicroBatch& micro_batch,
                                  function_ref<Value(Value)> here) {
  auto& partials = range.kept[micro_batch.shard];
  for (SumGroup& group : range.groups) partials.push_back(here(group.partials[micro_batch.shard_class]));
  for (const auto& [first, middle, last] : range.order.add(micro_batch.shard)) {
    if (!range.role && failed(make_role(range, first, last))) return failure();
    const auto right = range.kept.find(middle);
    SmallVector<Value>& left = range.kept[first];
    SmallVector<Value> arguments(left);
    arguments.append(right->second);
    range.kept.erase(right);
    auto call = ir::CallOp::create(at, function_.getLoc(), ValueRange(left).getTypes(), range.role.getName(),
                                   arguments, at.getI64IntegerAttr(first), at.getI64IntegerAttr(last));
    left.assign(call.getValues().begin(), call.getValues().end());
  }
  return success();
}

LogicalResult MicroBatchSums::make_role(RangeSums& range, int64_t first, int64_t last) {
  OpBuilder b(function_.getContext());
  SmallVector<ir::SumMicroBatchesOp> sums;
  for (const SumGroup& group : range.groups) llvm::append_range(sums, group.sums);
  const StringAttr device = cast<ir::PlacedOpInterface>(made_by(sums[0])).placement().device;
  SmallVector<Type> types;
  for (ir::SumMicroBatchesOp sum : sums) types.push_back(sum.getType());
  SmallVector<Type> both(types);
  both.append(types);
  range.role = new_role(b, function_->getParentOfType<ModuleOp>(), function_.getLoc(), fresh_("accumulate"),
                        "accumulate", device, both, types);
  range.role->setAttr(kFirstShard, b.getI64IntegerAttr(first));
  SmallVector<Value> results;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    ir::PlacedBuilder build(b, sum.getLoc(), cast<ir::PlacedOpInterface>(made_by(sum)).placement());
    Operation* addition =
        build.op("accumulate", {range.role.getArgument(static_cast<unsigned>(i)),
                                range.role.getArgument(static_cast<unsigned>(i + sums.size()))});
    if (!addition) return failure();
    addition->setDiscardableAttr(kOrigin, origin_of_range(sum, first, last));
    results.push_back(addition->getResult(0));
  }
  func::ReturnOp::create(b, function_.getLoc(), results);
  return success();
}

}  // namespace cutset::passes
