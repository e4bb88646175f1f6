#include "passes/cut/micro_batch_sums.h"

#include "passes/cut/new_role.h"
#include "passes/passes.h"
#include "passes/support/value_origin.h"

using namespace mlir;

namespace cutset::passes {
namespace {

// The op that computes the partial sums of the first class, which stands for those of all classes.
Operation* made_by(ir::SumMicroBatchesOp sum) { return sum.getPartials()[0].getDefiningOp(); }

// The origin of the sum over the micro-batches [first, last).
Attribute origin_of_range(ir::SumMicroBatchesOp sum, int64_t first, int64_t last) {
  const auto partial = cast<OpResult>(sum.getPartials()[0]);
  const ValueOrigin origin = origin_of(partial.getOwner(), partial.getResultNumber());
  return origin_attribute(sum.getContext(), origin.number, first, last, origin.factor, {kPartial});
}

int64_t shards_of(func::FuncOp function) { return function->getAttrOfType<DenseI64ArrayAttr>(kShards).size(); }

}  // namespace

MicroBatchSums::MicroBatchSums(func::FuncOp function, std::function<std::string(const char*)> fresh)
    : function_(function),
      fresh_(std::move(fresh)),
      order_(shards_of(function), function->getAttrOfType<BoolAttr>(kSumAlongTree).getValue()) {}

SmallVector<std::pair<ir::SumMicroBatchesOp, Value>> MicroBatchSums::totals() const {
  SmallVector<std::pair<ir::SumMicroBatchesOp, Value>> list;
  for (auto [sum, total] : llvm::zip(sums_, stack_.front())) list.emplace_back(sum, total);
  return list;
}

LogicalResult MicroBatchSums::add(OpBuilder& at, int64_t shard_class, function_ref<Value(Value)> here) {
  auto& partials = stack_.emplace_back();
  for (ir::SumMicroBatchesOp sum : sums_) partials.push_back(here(sum.getPartials()[static_cast<size_t>(shard_class)]));
  for (const auto& [first, middle, last] : order_.next()) {
    if (sums_.empty()) continue;
    if (!role_ && failed(make_role(cast<ir::PlacedOpInterface>(made_by(sums_[0])).placement().device)))
      return failure();
    const SmallVector<Value> right = stack_.pop_back_val();
    SmallVector<Value> arguments(stack_.back());
    arguments.append(right);
    SmallVector<Attribute> origins;
    for (ir::SumMicroBatchesOp sum : sums_) origins.push_back(origin_of_range(sum, first, last));
    auto call = ir::CallOp::create(at, function_.getLoc(), role_.getResultTypes(), role_.getName(), arguments,
                                   at.getI64IntegerAttr(first));
    call->setDiscardableAttr(kOrigin, at.getArrayAttr(origins));
    stack_.back().assign(call.getValues().begin(), call.getValues().end());
  }
  return success();
}

LogicalResult MicroBatchSums::make_role(StringAttr device) {
  OpBuilder b(function_.getContext());
  SmallVector<Type> types;
  for (ir::SumMicroBatchesOp sum : sums_) types.push_back(sum.getType());
  SmallVector<Type> both(types);
  both.append(types);
  role_ = new_role(b, function_->getParentOfType<ModuleOp>(), function_.getLoc(), fresh_("accumulate"), "accumulate",
                   device, both, types);
  SmallVector<Value> results;
  for (auto [i, sum] : llvm::enumerate(sums_)) {
    ir::PlacedBuilder build(b, sum.getLoc(), cast<ir::PlacedOpInterface>(made_by(sum)).placement());
    Operation* addition = build.op("accumulate", {role_.getArgument(static_cast<unsigned>(i)),
                                                  role_.getArgument(static_cast<unsigned>(i + sums_.size()))});
    if (!addition) return failure();
    results.push_back(addition->getResult(0));
  }
  func::ReturnOp::create(b, function_.getLoc(), results);
  return success();
}

}  // namespace cutset::passes
