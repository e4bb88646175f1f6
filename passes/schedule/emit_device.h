// Emits what one device does in one function.
#pragma once
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/device.h"
#include "runtime/program.h"

namespace cutset::passes {

// Walks a schedule with its roles inlined. Kernels go to the compute queue, what comes in and goes out to
// queues of its own, with events between them. Then packs the arena: a buffer that another queue touches
// is alive for the whole step, since that queue is free to run ahead or behind; the others from their
// first instruction to their last.
class DeviceEmitter {
 public:
  // `alignment`: of the tensors of a bucket, which all devices of the program take.
  DeviceEmitter(Program& program, Function& function, int32_t device, const DeviceDescription& description,
                uint64_t alignment)
      : program_(program),
        function_(function),
        device_(device),
        description_(description),
        alignment_(alignment),
        plan_(function.devices[static_cast<size_t>(device)]) {}
  Status run(ir::ScheduleOp schedule);

 private:
  struct Life {
    int64_t first = -1, last = -1;
    bool whole_step = false;
    int32_t produced_by = kNone;  // event that says it is there, for other queues
    int64_t produced_at = -1;     // place in the compute list of the instruction that makes it
    bool arrives = false;         // made by the in queue
    bool awaited = false;         // the compute queue already waits for it
  };

  int32_t new_buffer(const TensorType& type, Storage storage, int32_t index = kNone);
  int32_t root(int32_t buffer) const { return alias_[static_cast<size_t>(buffer)]; }
  Life& life(int32_t buffer) { return lives_[static_cast<size_t>(root(buffer))]; }
  Result<int32_t> variable(mlir::StringRef name) const;
  Status role(ir::CallOp call);
  Status op(mlir::Operation* op, const llvm::DenseMap<mlir::Value, int32_t>& updated);
  Status kernel(mlir::Operation* op, const llvm::DenseMap<mlir::Value, int32_t>& updated);
  void arrive(mlir::Operation* action, Instruction instruction);
  void leave(mlir::Operation* action, Instruction instruction);
  void enqueue_leaving(int32_t buffer, Instruction instruction);
  void start_collective(ir::AllReduceStartOp start);
  // Makes `buffer` lie in `whole`, `offset` bytes from its start.
  void lie_in(int32_t buffer, int32_t whole, int64_t offset);
  void touch(int32_t buffer);
  void copy(int32_t from, int32_t to);
  int32_t variable_in(int32_t buffer) const;  // whose memory it is; kNone: no variable's
  std::vector<Instruction>& list(Queue queue);
  int32_t event() { return plan_.events++; }
  void pack();

  Program& program_;
  Function& function_;
  int32_t device_;
  const DeviceDescription& description_;
  uint64_t alignment_;
  DevicePlan& plan_;
  size_t base_ = 0;              // first buffer of this device
  std::vector<int32_t> alias_;   // buffer -> buffer whose memory it is, for all buffers
  std::vector<int64_t> inside_;  // bytes from the start of that memory
  std::vector<Life> lives_;
  llvm::DenseMap<mlir::Value, int32_t> buffer_of_;
  bool applying_ = false;
  int64_t time_ = 0;
};

// The buffer of a collective of such tensors, and where in it the next one starts.
TensorType bucket_type(const Types& tensors, uint64_t alignment);
int64_t next_in_bucket(int64_t offset, const TensorType& tensor, uint64_t alignment);

Instruction described(Instruction::Kind kind, mlir::Operation* op);

}  // namespace cutset::passes
