// SPDX-License-Identifier: Apache-2.0
// Emits the actions of the schedule of one device, except for its calls, and knows which values of the
// function are on the device.
#pragma once
#include "passes/cut/roles/partition.h"
#include "passes/cut/schedule/cut_edges.h"
#include "passes/support/placement/rounds.h"

namespace cutset::passes {

class DeviceActions {
 public:
  // Appends the actions to `block`. All arguments must outlive this object.
  DeviceActions(mlir::func::FuncOp function, const Partition& partition, const CutEdges& edges,
                llvm::ArrayRef<MicroBatch> micro_batches, mlir::StringAttr device, mlir::Block* block);

  mlir::StringAttr device() const { return device_; }
  // Appends further actions.
  mlir::OpBuilder& builder() { return builder_; }

  // Returns the value on the device. A value that is not there yet is an input of the function, a sum over
  // devices or a value of another device. An action that makes it available is emitted.
  mlir::Value fetch(mlir::Value v);
  // Returns the value of the micro-batch on the device, if the value belongs to micro-batches, and otherwise
  // fetch(v). A frame is known by the key of its group.
  mlir::Value fetch(mlir::Value v, const MicroBatch& m);
  // Returns true if the value of the micro-batch is on the device.
  bool has(mlir::Value v, const MicroBatch& m) const {
    return of_micro_batch_[static_cast<size_t>(m.shard)].contains(v);
  }

  // Notes that the device has computed `original` as `value`. Emits every send, start of a sum and output of
  // the value.
  void define(mlir::Value original, mlir::Value value);
  // Does the same for a value of a micro-batch. Such a value starts no sum.
  void define(mlir::Value original, mlir::Value value, const MicroBatch& m);
  // Emits the outputs of the function that are sums or inputs and that this device hands to the host. A
  // constant is returned by a role, like the result of an op.
  void emit_outputs();

 private:
  using Values = llvm::DenseMap<mlir::Value, mlir::Value>;  // value of the function -> value on the device

  // Returns the rows of an input that the argument `v` of the function holds.
  PortRows rows_of(mlir::Value v);
  // Emits an input of the argument `v` of the function, or of its rows from `start` on.
  mlir::Value emit_input(mlir::Value v, int64_t start, mlir::Attribute origin);
  // Emits an output of `value`, which stands for the value `original` of the function.
  void emit_output(mlir::Value original, mlir::Value value, const CutEdges::Output& out, int64_t start);
  void emit_uses_elsewhere(mlir::Value original, mlir::Value value);
  // Receives a value over the channel number `nth` of its transfer to the device.
  mlir::Value receive(mlir::Value v, int64_t nth, mlir::Attribute origin);
  // Gives a new action, which has no discardable attribute yet, its origin.
  void label(mlir::Operation* op, mlir::Attribute origin) const;
  mlir::IntegerAttr i64(int64_t n) const { return mlir::IntegerAttr::get(i64_, n); }

  mlir::func::FuncOp function_;
  const Partition& partition_;
  const CutEdges& edges_;
  const llvm::ArrayRef<MicroBatch> micro_batches_;
  const mlir::StringAttr device_;
  mlir::OpBuilder builder_;
  const mlir::IntegerType i64_;
  const mlir::StringAttr origin_;  // the name of the attribute for origins
  const int64_t samples_;
  Values here_;                         // the values that belong to no micro-batch
  std::vector<Values> of_micro_batch_;  // by micro-batch
};

}  // namespace cutset::passes
