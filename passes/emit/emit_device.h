// Emits the instructions of one device in one function, and packs its arena.
#pragma once
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
  const mlir::SymbolTable& roles;            // the symbols of the module
  llvm::StringMap<int32_t> variables;        // name -> index in the program
  llvm::StringMap<int32_t> inputs, outputs;  // name -> index in the function
};

// Walks the schedule of a device with its roles inlined. Kernels and copies go to the compute queue. Inputs, receives
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
                const DeviceDescription& description, uint64_t alignment)
      : names_(names),
        program_(program),
        function_(function),
        device_(device),
        description_(description),
        alignment_(alignment),
        plan_(function.devices[static_cast<size_t>(device)]) {}
  // Emits `schedule`, which is the schedule of `device` in `function`. Fails if an op has no kernel.
  Status run(ir::ScheduleOp schedule);

 private:
  struct LiveRange {
    int64_t first = -1, last = -1;  // positions of the first and the last use; -1: none
    bool whole_step = false;        // alive for the whole step
    int32_t ready_event = kNone;    // the event that tells other queues that the buffer is written
    int64_t producer = -1;          // index in the compute list of the instruction that writes it; -1: none
    bool incoming = false;          // written by the in queue
    bool awaited = false;           // the compute queue already waits for it
  };

  int32_t new_buffer(const TensorType& type, Storage storage, int32_t index = kNone);
  int32_t root(int32_t buffer) const { return root_[static_cast<size_t>(buffer)]; }
  LiveRange& live_range(int32_t buffer) { return live_ranges_[static_cast<size_t>(root(buffer))]; }
  Result<int32_t> find_variable(mlir::StringRef name) const;
  Status emit_role(ir::CallOp call);
  Status emit_op(mlir::Operation* op, const llvm::DenseMap<mlir::Value, int32_t>& updated);
  Status emit_kernel(mlir::Operation* op, const llvm::DenseMap<mlir::Value, int32_t>& updated);
  void emit_incoming(mlir::Operation* action, Instruction instruction);
  void emit_outgoing(mlir::Operation* action, Instruction instruction);
  void enqueue_outgoing(int32_t buffer, Instruction instruction);
  void start_collective(ir::AllReduceStartOp start);
  // Makes `buffer`, with all buffers that share its memory, a part of `whole`, `offset` bytes from its start.
  void place_inside(int32_t buffer, int32_t whole, int64_t offset);
  // Extends the live range to the current position. Emits a wait before the first use of an incoming buffer.
  void mark_use(int32_t buffer);
  void emit_copy(int32_t from, int32_t to);
  int32_t variable_in(int32_t buffer) const;  // the variable whose memory the buffer uses, or kNone
  std::vector<Instruction>& instructions(Queue queue);
  int32_t new_event() { return plan_.events++; }
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
  std::vector<int32_t> root_;       // buffer -> the buffer that owns its memory, which may be itself
  std::vector<int64_t> offset_in_;  // buffer -> bytes from the start of that memory
  std::vector<LiveRange> live_ranges_;
  llvm::DenseMap<int32_t, llvm::SmallVector<int32_t>> views_;  // buffer -> other buffers that lie in its memory
  Signals signals_;  // signals of the compute queue, which are inserted when the schedule is done
  llvm::DenseMap<mlir::Value, int32_t> buffer_of_;
  bool applying_ = false;  // the commit was reached
  int64_t position_ = 0;   // counts kernels and copies
};

// Returns the type of the buffer that holds all tensors of a collective.
TensorType bucket_type(const Types& tensors, uint64_t alignment);
// Returns the offset of the next tensor in such a buffer if `tensor` is at `offset`.
int64_t next_in_bucket(int64_t offset, const TensorType& tensor, uint64_t alignment);

// Returns an instruction that names the op, the layer and the source line of `op`.
Instruction make_instruction(Instruction::Kind kind, mlir::Operation* op);

}  // namespace cutset::passes
