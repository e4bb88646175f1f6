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

FailureOr<std::vector<MicroBatchAction>> micro_batch_order(func::FuncOp function, StringAttr device) {
  const auto module = function->getParentOfType<ModuleOp>();
  auto devices = module->getAttrOfType<ArrayAttr>(kDevices);
  const auto number = devices ? llvm::find(devices, Attribute(device)) - devices.begin() : 0;
  if (!devices || static_cast<size_t>(number) == devices.size())
    return function.emitError() << "the device " << device << " is not among the devices of the module";
  auto split = module->getAttrOfType<IntegerAttr>(kReplicas);
  const int64_t groups = split ? split.getInt() : 1;
  if (groups < 1 || static_cast<int64_t>(devices.size()) % groups)
    return function.emitError() << "the " << devices.size() << " devices of the module do not make " << groups
                                << " groups of equal size, one per replica";
  const auto devices_of_group = static_cast<int64_t>(devices.size()) / groups;
  auto divided = function->getAttrOfType<IntegerAttr>(kChunks);
  const int64_t chunks = divided ? divided.getInt() : 1;
  const auto replicas = function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas).asArrayRef();
  const int64_t count = llvm::count(replicas, number / devices_of_group),
                first = llvm::find(replicas, number / devices_of_group) - replicas.begin();
  std::vector<MicroBatchAction> order;
  auto name = function->getAttrOfType<StringAttr>(kSchedule);
  if (!name || count == 0) {
    for (int64_t i = 0; i < count; ++i) order.push_back({RoleKind::kMicroBatch, 0, first + i});
    return order;
  }
  auto schedule = generate_schedule(name.str(), {devices_of_group, count, chunks});
  if (!schedule) return function.emitError() << schedule.error().what;
  for (const Action& action : schedule->devices[static_cast<size_t>(number % devices_of_group)]) {
    order.push_back({kind_of(action.kind), chunks > 1 ? action.stage : 0, first + action.micro_batch});
  }
  return order;
}

}  // namespace cutset::passes
