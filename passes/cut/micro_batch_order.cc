#include "passes/cut/micro_batch_order.h"

#include "graph/schedule/generators.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

RoleKind kind_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return RoleKind::kForward;
    case ActionKind::kBackward:
      return RoleKind::kBackward;
    case ActionKind::kBackwardInput:
      return RoleKind::kBackwardInput;
    case ActionKind::kBackwardWeight:
      return RoleKind::kBackwardWeight;
  }
  llvm_unreachable("not a kind of actions");
}

}  // namespace

MicroBatchOrder::MicroBatchOrder(func::FuncOp function) : function_(function) {
  const auto module = function->getParentOfType<ModuleOp>();
  if (auto devices = module->getAttrOfType<ArrayAttr>(kDevices))
    for (auto [number, device] : llvm::enumerate(devices)) numbers_.try_emplace(device, number);
  if (auto split = module->getAttrOfType<IntegerAttr>(kReplicas)) replicas_ = split.getInt();
  if (auto axis = module->getAttrOfType<IntegerAttr>(kTensorDevices)) tensor_ = axis.getInt();
  if (const auto replicas = function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas))
    for (auto [shard, replica] : llvm::enumerate(replicas.asArrayRef()))
      ++shards_.try_emplace(replica, Range{static_cast<int64_t>(shard), 0}).first->second.count;
}

FailureOr<DeviceGrid> MicroBatchOrder::grid() const {
  const size_t devices = numbers_.size();
  if (replicas_ < 1 || tensor_ < 1 || replicas_ % tensor_ || static_cast<int64_t>(devices) % replicas_)
    return function_->emitError() << "the " << devices << " devices of the module do not make " << replicas_
                                  << " groups of equal size, one per replica"
                                  << (tensor_ > 1 ? " and device of the tensor axis" : "");
  return DeviceGrid{devices, static_cast<size_t>(replicas_), static_cast<size_t>(tensor_)};
}

FailureOr<std::vector<MicroBatchAction>> MicroBatchOrder::of(StringAttr device) {
  const auto number = numbers_.find(device);
  if (number == numbers_.end())
    return function_.emitError() << "the device " << device << " is not among the devices of the module";
  const auto grid = this->grid();
  if (failed(grid)) return failure();
  auto divided = function_->getAttrOfType<IntegerAttr>(kChunks);
  const int64_t chunks = divided ? divided.getInt() : 1;
  const auto shards = shards_.find(grid->replica_of(grid->copy_of(number->second)));
  const auto [first, count] = shards == shards_.end() ? Range() : shards->second;
  std::vector<MicroBatchAction> order;
  auto name = function_->getAttrOfType<StringAttr>(kSchedule);
  if (!name || count == 0) {
    for (int64_t i = 0; i < count; ++i) order.push_back({RoleKind::kMicroBatch, 0, first + i});
    return order;
  }
  auto known = schedules_.find(count);
  if (known == schedules_.end()) {
    auto schedule = generate_schedule(name.str(), {static_cast<int64_t>(grid->per_copy()), count, chunks});
    if (!schedule) return function_.emitError() << schedule.error().what;
    known = schedules_.emplace(count, std::move(*schedule)).first;
  }
  for (const Action& action : known->second.devices[grid->position_of(number->second)])
    order.push_back({kind_of(action.kind), chunks > 1 ? action.stage : 0, first + action.micro_batch});
  return order;
}

}  // namespace cutset::passes
