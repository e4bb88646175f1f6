// SPDX-License-Identifier: Apache-2.0
// Emits the roles that a device calls several times per step. A role is emitted at its first call.
#pragma once
#include <optional>

#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/emit/device_code.h"

namespace cutset::passes {

// Whether the role computes ops of the graph. The additions of micro-batches and the finite check belong to
// the turn of the call before them.
bool begins_turn(mlir::func::FuncOp role);

class CalledRoles {
 public:
  struct Called {
    RoleId id;
    // Per result of a call: the operand in whose memory the role computes it; not set: the result has its own
    // memory.
    llvm::SmallVector<std::optional<unsigned>> in_place;
    uint64_t bytes = 0;  // the memory inside the role
    int64_t first_group =
        0;  // result `i` of every call belongs to group `first_group` + i (graph/packing/pack_arena.h)
  };

  // Appends roles to the function, and their constants to the program.
  explicit CalledRoles(const EmitContext& context) : context_(context) {}

  // Returns the role of a call, which is valid until the next call of this function. `next_group` is the
  // first free group; a new role takes one per result. Fails if an op of the role has no kernel.
  Result<const Called*> find_or_emit(ir::CallOp call, int64_t& next_group);
  // Whether the values of the frame `frame`, or the values that later calls compute in its memory, are read
  // outside of calls. Fails if an op of the role of such a call has no kernel.
  Result<bool> leaves(mlir::Value frame, int64_t& next_group);
  // Returns the memory that all calls share: the memory of the largest role.
  uint64_t bytes() const { return bytes_; }
  // Moves the memory inside the roles to `offset` in the arena.
  void place_at(uint64_t offset);

 private:
  const EmitContext context_;
  llvm::StringMap<Called> known_;
  uint64_t bytes_ = 0;
};

}  // namespace cutset::passes
