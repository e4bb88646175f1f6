#include "passes/cut/micro_batch_order.h"

#include "graph/device_grid.h"
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

FailureOr<std::vector<MicroBatchAction>> micro_batch_order(func::FuncOp function, StringAttr device) {
  const auto module = function->getParentOfType<ModuleOp>();
  auto devices = module->getAttrOfType<ArrayAttr>(kDevices);
  const auto number = devices ? llvm::find(devices, Attribute(device)) - devices.begin() : 0;
  if (!devices || static_cast<size_t>(number) == devices.size())
    return function.emitError() << "the device " << device << " is not among the devices of the module";
  auto split = module->getAttrOfType<IntegerAttr>(kReplicas);
  auto axis = module->getAttrOfType<IntegerAttr>(kTensorDevices);
  const int64_t copies = split ? split.getInt() : 1, tensor = axis ? axis.getInt() : 1;
  if (copies < 1 || tensor < 1 || copies % tensor || static_cast<int64_t>(devices.size()) % copies)
    return function.emitError() << "the " << devices.size() << " devices of the module do not make " << copies
                                << " groups of equal size, one per replica"
                                << (tensor > 1 ? " and device of the tensor axis" : "");
  const DeviceGrid grid{devices.size(), static_cast<size_t>(copies), static_cast<size_t>(tensor)};
  const int64_t replica = grid.replica_of(grid.copy_of(static_cast<size_t>(number)));
  auto divided = function->getAttrOfType<IntegerAttr>(kChunks);
  const int64_t chunks = divided ? divided.getInt() : 1;
  const auto replicas = function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas).asArrayRef();
  const int64_t count = llvm::count(replicas, replica), first = llvm::find(replicas, replica) - replicas.begin();
  std::vector<MicroBatchAction> order;
  auto name = function->getAttrOfType<StringAttr>(kSchedule);
  if (!name || count == 0) {
    for (int64_t i = 0; i < count; ++i) order.push_back({RoleKind::kMicroBatch, 0, first + i});
    return order;
  }
  auto schedule = generate_schedule(name.str(), {static_cast<int64_t>(grid.per_copy()), count, chunks});
  if (!schedule) return function.emitError() << schedule.error().what;
  for (const Action& action : schedule->devices[grid.position_of(static_cast<size_t>(number))])
    order.push_back({kind_of(action.kind), chunks > 1 ? action.stage : 0, first + action.micro_batch});
  return order;
}

}  // namespace cutset::passes
