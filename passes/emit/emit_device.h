// Emits the instructions of one device in one function, and packs its arena.
#pragma once
#include <map>
#include <memory>
#include <unordered_map>

#include "ir/core/problem_key.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/emit/signals.h"
#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset::passes {

// Tables in which the emitters look up names. emit() makes them once.
struct Names {
  const mlir::SymbolTable& roles;  // the symbols of the module
  llvm::StringMap<VariableId> variables;
  llvm::StringMap<PortId> inputs, outputs;  // of the function
};

class CalledRoles;

// Walks the schedule of a device. A role that is called once is inlined; a role with several calls, which name their shards,
// becomes a role of the program (called_roles.h). Kernels and copies go to the compute queue. Inputs, receives
// and waits for sums go to the in queue, and sends, outputs and starts of sums go to the out queue. Events order the
// queues.
//
// Then the emitter packs the arena (graph/buffer_packing.h). A buffer that the in queue or the out queue uses is alive
// for the whole step, because that queue runs independently of the compute queue. So is the flag of a finite check,
// which the host reads. Every other buffer is alive from its first instruction to its last one.
class DeviceEmitter {
 public:
  // `alignment`: the alignment of the tensors of a bucket. It is the same on all devices of the program.
  DeviceEmitter(const Names& names, Program& program, Function& function, int32_t device,
                const DeviceDescription& description, uint64_t alignment);
  ~DeviceEmitter();
  // Emits `schedule`, which is the schedule of `device` in `function`. Fails if an op has no kernel.
  Status run(ir::ScheduleOp schedule);
  // Emits the body of a role, whose arguments and results become parameters. The memory inside the role is packed into
  // the arena of the device. Fails if an op has no kernel.
  Result<Role> run_role(mlir::func::FuncOp role);

 private:
  struct LiveRange {
    int64_t first = -1, last = -1;  // positions of the first and the last use; -1: none
    bool whole_step = false;        // alive for the whole step
    EventId ready_event = {};       // the event that tells other queues that the buffer is written
    int64_t producer = -1;          // index in the compute list of the instruction that writes it; -1: none
    bool incoming = false;          // written by the in queue
    bool awaited = false;           // the compute queue already waits for it
    int64_t group = -1;             // the values that share slots (pack_arena.h)
  };

  BufferId new_buffer(const TensorType& type, Storage storage);
  BufferId new_buffer_of(const TensorType& type, VariableId variable);
  BufferId root(BufferId buffer) const { return root_[buffer.index()]; }
  LiveRange& live_range(BufferId buffer) { return live_ranges_[root(buffer).index()]; }
  Result<VariableId> find_variable(mlir::StringRef name) const;
  Status emit_role(ir::CallOp call);
  Status emit_call(ir::CallOp call);
  // Makes a buffer in the memory of `from`, with another type.
  BufferId new_view(BufferId from, const TensorType& type);
  Status emit_op(mlir::Operation* op, const llvm::DenseMap<mlir::Value, VariableId>& updated);
  Status emit_kernel(mlir::Operation* op, const llvm::DenseMap<mlir::Value, VariableId>& updated);
  // `command` makes the command that writes the buffer, with the pieces of the buffer if it is a bucket.
  void emit_incoming(mlir::Operation* action,
                     llvm::function_ref<Command(BufferId to, std::vector<BufferId> pieces)> command);
  // `command` reads `from`.
  void emit_outgoing(mlir::Operation* action, BufferId from, Command command);
  void start_collective(ir::AllReduceStartOp start);
  // Makes `buffer`, with all buffers that share its memory, a part of `whole`, `offset` bytes from its start.
  void place_inside(BufferId buffer, BufferId whole, int64_t offset);
  // Extends the live range to the current position. Emits a wait before the first use of an incoming buffer.
  void mark_use(BufferId buffer);
  void emit_copy(BufferId from, BufferId to);
  VariableId variable_in(BufferId buffer) const;  // the variable whose memory the buffer uses; not set: none
  std::vector<Instruction>& instructions(Queue queue);
  EventId new_event() { return EventId(plan_.events++); }
  void pack();

  const Names& names_;
  Program& program_;
  Function& function_;
  int32_t device_;
  const DeviceDescription& description_;
  std::unordered_map<ProblemKey, uint64_t, ProblemHash> scratch_;  // the bytes of scratch memory
  uint64_t alignment_;
  DevicePlan& plan_;
  size_t base_ = 0;                 // index of the first buffer of this device
  std::vector<BufferId> root_;      // buffer -> the buffer that owns its memory, which may be itself
  std::vector<int64_t> offset_in_;  // buffer -> bytes from the start of that memory
  std::vector<LiveRange> live_ranges_;
  std::map<BufferId, llvm::SmallVector<BufferId>> views_;  // buffer -> other buffers that lie in its memory
  Signals signals_;  // signals of the compute queue, which are inserted when the schedule is done
  llvm::DenseMap<mlir::Value, BufferId> buffer_of_;
  bool applying_ = false;                                // the commit was reached
  std::unique_ptr<CalledRoles> called_;                  // null until the first call
  int64_t first_call_ = 0, last_call_ = 0;               // their positions
  std::map<std::pair<RoleId, size_t>, int64_t> groups_;  // role and result -> group
  int64_t position_ = 0;                                 // counts kernels and copies
};

}  // namespace cutset::passes
