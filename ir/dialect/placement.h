// Where an op runs, why, which share of the batch, which slot of a schedule, and who it is.
// One property of every compute op, added by the TableGen base class. It survives rewriting by
// the listener in passes/support/keep_placement.h.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace cutset::ir {

struct Placement {
  mlir::StringAttr device, reason;  // reason "user" pins the op
  int64_t share = 0, slot = -1;
  int64_t id = 0;  // a forward op and its backward ops carry the same; 0: none yet

  // What CSE sees. The id and the reason are labels, not meaning: they keep no equal ops apart.
  bool operator==(const Placement& o) const { return device == o.device && share == o.share && slot == o.slot; }
  bool unset() const { return *this == Placement() && !reason && id == 0; }
  bool byUser() const { return device && reason && reason.getValue() == "user"; }
};

inline llvm::hash_code hash_value(const Placement& p) {
  return llvm::hash_combine(p.device.getAsOpaquePointer(), p.share, p.slot);
}

// Numbers outside of their limits and names that are empty are errors of the op that carries them.
inline constexpr int64_t kMostReplicas = 4096, kMostId = int64_t{1} << 53;
mlir::LogicalResult verifyPlacement(mlir::Operation* op, const Placement& placement);

mlir::Attribute convertToAttribute(mlir::MLIRContext*, const Placement&);
mlir::LogicalResult convertFromAttribute(Placement&, mlir::Attribute, llvm::function_ref<mlir::InFlightDiagnostic()>);
mlir::ParseResult parsePlacement(mlir::OpAsmParser&, Placement&);
void printPlacement(mlir::OpAsmPrinter&, mlir::Operation*, const Placement&);

}  // namespace cutset::ir
