// SPDX-License-Identifier: Apache-2.0
// Emits the instructions of one device in one function, and packs its arena.
#pragma once
#include <map>
#include <memory>
#include <unordered_map>

#include "ir/core/op/problem_key.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/emit/device_memory.h"
#include "passes/emit/instruction_maker.h"
#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset::passes {

// Tables in which the emitters look up names. emit() makes them once.
struct Names {
  const mlir::SymbolTable& roles;  // the symbols of the module
  llvm::StringMap<VariableId> variables;
  llvm::StringMap<PortId> inputs, outputs;  // of the function
  PipelineStages stages;                    // of the function
};

class CalledRoles;

// Walks the schedule of a device. A role that is called once is inlined; a role with several calls, which
// name their shards, becomes a role of the program (called_roles.h). Kernels and copies go to the compute
// queue. Inputs, receives and waits for sums go to the in queue, and sends, outputs and starts of sums go to
// the out queue.
//
// Then the emitter packs the arena (device_memory.h), and orders the queues by events
// (runtime/program/order/order_queues.h).
class DeviceEmitter {
 public:
  // `alignment`: the alignment of the tensors of a bucket. It is the same on all devices of the program.
  DeviceEmitter(const Names& names, Program& program, Function& function, int32_t device,
                const DeviceDescription& description, uint64_t alignment);
  ~DeviceEmitter();
  // Emits `schedule`, which is the schedule of `device` in `function`. Fails if an op has no kernel.
  Status run(ir::ScheduleOp schedule);
  // Emits the body of a role, whose arguments and results become parameters, which are grouped as in `call`.
  // The memory inside the role is packed into the arena of the device. Fails if an op has no kernel.
  Result<Role> run_role(mlir::func::FuncOp role, ir::CallOp call);

 private:
  BufferId new_buffer_of(const TensorType& type, VariableId variable);
  BufferId root(BufferId buffer) const { return memory_.root(buffer); }
  Result<VariableId> find_variable(mlir::StringRef name) const;
  Status emit_role(ir::CallOp call);
  Status emit_call(ir::CallOp call);
  Status emit_op(mlir::Operation* op, const llvm::DenseMap<mlir::Value, VariableId>& updated);
  Status emit_kernel(mlir::Operation* op, const llvm::DenseMap<mlir::Value, VariableId>& updated);
  // `command` makes the command that writes the buffer, with the pieces of the buffer if it is a bucket.
  void emit_incoming(mlir::Operation* action,
                     llvm::function_ref<Command(BufferId to, std::vector<BufferId> pieces)> command);
  // `command` reads `from`.
  void emit_outgoing(mlir::Operation* action, BufferId from, Command command);
  void start_collective(ir::AllReduceStartOp start);
  void emit_copy(BufferId from, BufferId to);
  VariableId variable_in(BufferId buffer) const;  // the variable whose memory the buffer uses; not set: none
  void append(Queue queue, Instruction instruction);
  // Packs the arena. `region`: null if no role is called several times.
  void pack(DeviceMemory::Region* region);

  const Names& names_;
  Program& program_;
  Function& function_;
  int32_t device_;
  const DeviceDescription& description_;
  std::unordered_map<ProblemKey, uint64_t, ProblemHash> scratch_;  // the bytes of scratch memory
  uint64_t alignment_;
  DevicePlan& plan_;
  DeviceMemory memory_;
  InstructionMaker make_;
  std::vector<Queue> queues_;  // of the instructions of `compute`, in the order of the schedule
  llvm::DenseMap<mlir::Value, BufferId> buffer_of_;
  llvm::DenseMap<mlir::Value, FrameId> frame_of_;
  bool applying_ = false;                // the commit was reached
  std::unique_ptr<CalledRoles> called_;  // null until the first call
  DeviceMemory::Region region_;          // of the calls
  // The groups of values that share slots (graph/packing/pack_arena.h): the values that the calls of a role
  // return as one result, and the values that arrive for the micro-batches of one value of the graph, by its
  // number and their bytes.
  int64_t next_group_ = 0;
  std::map<std::pair<int32_t, int64_t>, int64_t> arrivals_;
};

}  // namespace cutset::passes
