// SPDX-License-Identifier: Apache-2.0
// Emits the ops of roles, as instructions of the compute queue.
#pragma once
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/emit/device_code.h"

namespace cutset::passes {

class RoleEmitter {
 public:
  // `code` must outlive the emitter.
  explicit RoleEmitter(DeviceCode& code) : code_(code) {}

  // Emits the body of a role in the place of its only call. Fails if an op has no kernel.
  Status emit_inline(ir::CallOp call);
  // Emits the body of a role, whose arguments and results become parameters, which are grouped as in `call`.
  // The memory inside the role is packed into the arena of the device. Fails if an op has no kernel.
  Result<Role> emit_alone(mlir::func::FuncOp role, ir::CallOp call);

 private:
  using Updates = llvm::DenseMap<mlir::Value, VariableId>;  // the values that update a variable in place

  Updates updates_of(mlir::func::FuncOp role) const;
  // Emits the copies from values to variables. If a copy may overwrite a variable that another copy reads,
  // the old value is kept.
  void emit_copies(std::vector<std::pair<BufferId, BufferId>> copies);
  // Returns a buffer outside of the arena, which is a parameter of the role and holds the value.
  BufferId parameter_with(mlir::Value returned);
  Status emit_op(mlir::Operation* op, const Updates& updated);
  Status emit_kernel(mlir::Operation* op, const Updates& updated);
  // Emits a finite check if `op` computes the flag of one. The host reads its flag after all queues are done.
  void add_finite_check(mlir::Operation* op, const RunKernel& command);
  // Makes `value` the buffer, with the origin of result `number` of its op.
  void define(mlir::Value value, BufferId buffer);

  DeviceCode& code_;
};

}  // namespace cutset::passes
