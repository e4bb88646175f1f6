// SPDX-License-Identifier: Apache-2.0
// Emits the instructions of one device in one function, and packs its arena.
#pragma once
#include <map>

#include "ir/structural/structural.h"
#include "passes/emit/called_roles.h"
#include "passes/emit/device_code.h"
#include "passes/emit/emit_role.h"

namespace cutset::passes {

// Walks the schedule of a device. A role that is called once is inlined; a role with several calls, which
// name their shards, becomes a role of the program (called_roles.h). Kernels and copies go to the compute
// queue. Inputs, receives and waits for sums go to the in queue, and sends, outputs and starts of sums go to
// the out queue.
//
// Then the emitter packs the arena (device_memory.h), and orders the queues by events
// (runtime/program/order/order_queues.h).
class DeviceEmitter {
 public:
  explicit DeviceEmitter(const EmitContext& context);
  // Emits `schedule`, which is the schedule of the device in the function. Fails if an op has no kernel.
  Status run(ir::ScheduleOp schedule);

 private:
  Status emit_action(mlir::Operation* action);
  Status emit_call(ir::CallOp call);
  // Returns the frame that holds the result of a call. `overwritten`: the frame of the operand in whose
  // memory the role computes the result; not set: the result has new memory, which belongs to the group
  // `group`.
  Result<FrameId> frame_of_result(mlir::Value result, FrameId overwritten, int64_t group);
  // Emits an action that writes a buffer. `command` makes the command that writes the buffer, with the pieces
  // of the buffer if it is a bucket.
  void emit_incoming(mlir::Operation* action,
                     llvm::function_ref<Command(BufferId to, std::vector<BufferId> pieces)> command);
  // Emits an action that reads a buffer. `command` reads `from`.
  void emit_outgoing(mlir::Operation* action, BufferId from, Command command);
  void start_collective(ir::AllReduceStartOp start);
  // Returns the buffer that holds the tensor in its bucket, `offset` bytes from the start of the bucket.
  BufferId place_in_bucket(BufferId tensor, const TensorType& type, BufferId bucket, int64_t offset);

  DeviceCode code_;
  RoleEmitter roles_;
  CalledRoles called_;
  llvm::DenseMap<mlir::Value, FrameId> frame_of_;
  DeviceMemory::Region region_;  // the region of the calls
  // Groups of values share slots (graph/packing/pack_arena.h). The values that the calls of a role return as
  // result i are a group. The values that arrive for the micro-batches of one value of the graph, and have
  // the same number of bytes, are also a group.
  int64_t next_group_ = 0;
  std::map<std::pair<int32_t, int64_t>, int64_t> arrivals_;
};

}  // namespace cutset::passes
