// Which part of a function every op belongs to: the device, the kind of role, and the level, that is how
// many cut edges lie on the longest way to it. All ops of one (device, level, kind) become one role, so a
// role can run to its end once what it receives is there, and roles never wait for each other in a circle.
#pragma once
#include <map>

#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

enum class RoleKind { kForward = 0, kBackward = 1, kUpdate = 2 };
llvm::StringRef name_of(RoleKind kind);

struct RoleKey {
  bool apply = false;  // after the commit
  int level = 0;
  RoleKind kind = RoleKind::kForward;
  auto operator<=>(const RoleKey&) const = default;
};

struct Partition {
  llvm::MapVector<mlir::StringAttr, std::map<RoleKey, llvm::SmallVector<mlir::Operation*>>> roles;  // by device
  llvm::DenseMap<mlir::Operation*, mlir::StringAttr> device;
  llvm::DenseMap<mlir::Operation*, RoleKey> role;
  llvm::DenseMap<mlir::Value, mlir::StringAttr> passed;  // inputs that are results too: who hands them over
};

// Ops that are cloned wherever they are read, not placed: constants and type_only.
bool is_free(mlir::Operation* op);
// A result that is an input, a variable or a constant is handed over by a device that has it, else by the first one.
// Fails on an op without a device, and on one that a later part of the step would need before its commit.
mlir::FailureOr<Partition> partition(mlir::func::FuncOp function);

}  // namespace cutset::passes
