#include "passes/cut/micro_batch_order.h"

#include "graph/schedule/generators.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

FailureOr<std::vector<MicroBatchAction>> micro_batch_order(func::FuncOp function, StringAttr device) {
  const int64_t count = function->getAttrOfType<DenseI64ArrayAttr>(kShardClasses).size();
  std::vector<MicroBatchAction> order;
  auto name = function->getAttrOfType<StringAttr>(kSchedule);
  if (!name) {
    for (int64_t shard = 0; shard < count; ++shard) order.push_back({RoleKind::kMicroBatch, shard});
    return order;
  }
  auto devices = function->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(kDevices);
  const auto stage = devices ? llvm::find(devices, Attribute(device)) - devices.begin() : 0;
  if (!devices || static_cast<size_t>(stage) == devices.size())
    return function.emitError() << "the device " << device << " is no stage of the pipeline";
  auto schedule = generate_schedule(name.str(), {static_cast<int64_t>(devices.size()), count});
  if (!schedule) return function.emitError() << schedule.error().what;
  for (const Action& action : schedule->devices[static_cast<size_t>(stage)]) {
    if (action.kind != ActionKind::kForward && action.kind != ActionKind::kBackward)
      return function.emitError() << "the schedule " << name << " divides the backward pass";
    order.push_back(
        {action.kind == ActionKind::kForward ? RoleKind::kForward : RoleKind::kBackward, action.micro_batch});
  }
  return order;
}

}  // namespace cutset::passes
