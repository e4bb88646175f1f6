// The order in which a device computes the micro-batches of a phase.
#pragma once
#include <map>

#include "graph/device_grid.h"
#include "graph/schedule/schedule.h"
#include "passes/cut/partition.h"

namespace cutset::passes {

// The roles of one kind and one stage for one micro-batch.
struct MicroBatchAction {
  RoleKind kind = RoleKind::kMicroBatch;
  int64_t stage = 0;  // 0 if the device has one stage
  int64_t shard = 0;
};

// The orders of all devices in a function, which are empty if it has no micro-batches. The module's devices are a grid (graph/device_grid.h). In a pipeline of
// several stages, the function names its schedule, and the stages are dealt out to the positions in turn. The devices of a
// tensor axis have the same actions. Otherwise the micro-batches are computed one after the other. A schedule is generated once per
// number of micro-batches that a replica has.
class MicroBatchOrder {
 public:
  explicit MicroBatchOrder(mlir::func::FuncOp function);

  // Returns the actions of `device`, which are those of its replica. Fails with a diagnostic if there is no such schedule.
  mlir::FailureOr<std::vector<MicroBatchAction>> of(mlir::StringAttr device);

 private:
  struct Range {
    int64_t first = 0, count = 0;
  };
  mlir::FailureOr<DeviceGrid> grid() const;

  mlir::func::FuncOp function_;
  llvm::DenseMap<mlir::Attribute, size_t> numbers_;  // of the devices
  int64_t replicas_ = 1, tensor_ = 1;      // replicas_: those of the module, the devices of the tensor axis counted
  std::map<int64_t, Range> shards_;        // by replica of the batch
  std::map<int64_t, Schedule> schedules_;  // by number of micro-batches
};

}  // namespace cutset::passes
