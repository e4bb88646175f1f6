// SPDX-License-Identifier: Apache-2.0
// The schedules of the pipelines of a function.
//
// A function with several stages names a generator of schedules (kSchedule). The module may have schedules
// (kSchedules) that a plan gave: one per number of micro-batches of a replica. They take precedence over the
// generator.
#pragma once
#include <map>

#include "graph/partition/device_grid.h"
#include "graph/schedule/schedule.h"
#include "ir/core/result.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Returns the names of the devices that each position of a pipeline stands for: "cpu:0", or "cpu:0 and sim:0"
// if there are two copies of the graph, or "cpu:0, sim:0, ..." if there are more.
std::vector<std::string> names_of_positions(const DeviceGrid& grid, llvm::ArrayRef<std::string> devices);

// Checks a schedule of replicas with `micro_batches` micro-batches, as graph/schedule/check_schedule.h does.
// Each of the positions that `names` lists has `chunks` stages: stage s is at position s modulo their number.
// The errors name both actions.
Status check_pipeline_schedule(const Schedule& schedule, int64_t micro_batches,
                               std::vector<std::string> names, int64_t chunks);

class PipelineSchedules {
 public:
  explicit PipelineSchedules(mlir::func::FuncOp function);

  // Whether the function has schedules.
  bool any() const { return static_cast<bool>(generator_); }
  // Returns the number of a device of the module. Fails with a diagnostic if the module has no such device.
  mlir::FailureOr<size_t> number_of(mlir::StringAttr device) const;
  // Returns the devices of the module as a grid. Fails with a diagnostic if the devices do not form a grid.
  mlir::FailureOr<DeviceGrid> grid() const;
  // Returns names_of_positions of this grid.
  mlir::FailureOr<std::vector<std::string>> names_of_positions() const;
  // The micro-batches of a replica of the batch.
  struct MicroBatchRange {
    int64_t first = 0, count = 0;
  };
  MicroBatchRange micro_batches_of(int64_t replica) const;
  // Returns the numbers of micro-batches that the replicas have.
  std::vector<int64_t> counts() const;
  // Returns the schedule of the replicas that have `micro_batches` micro-batches. The function must have
  // schedules. Fails with a diagnostic if the generator makes no such schedule, or if the schedule in the
  // module is wrong.
  mlir::FailureOr<const Schedule*> of(int64_t micro_batches);
  // Whether a schedule divides the backward pass into its two parts.
  mlir::FailureOr<bool> divides_backward();

 private:
  mlir::FailureOr<Schedule> make(int64_t micro_batches);

  mlir::func::FuncOp function_;
  std::vector<std::string> devices_;
  llvm::DenseMap<mlir::Attribute, size_t> numbers_;  // name of a device -> its number
  int64_t replicas_ = 1,
          tensor_ = 1;  // replicas_: number of copies of the graph, one per replica and tensor device
  int64_t chunks_ = 1;
  mlir::StringAttr generator_;                 // null: the function has no schedules
  mlir::DictionaryAttr given_;                 // the schedules of the module; null: none
  std::map<int64_t, MicroBatchRange> shards_;  // by replica of the batch
  std::map<int64_t, Schedule> known_;          // by number of micro-batches
};

}  // namespace cutset::passes
