// SPDX-License-Identifier: Apache-2.0
// The placement of an op: its device, the reason for it, the replica that it belongs to, and its stable id.
//
// The placement is a property of every compute op. The TableGen base class adds it (ir/dialect/base.td). In
// the text of the IR it is written after the attributes, and each part may be absent:
//
//   %y = cutset.relu %x on "cpu:0" because "user" replica 1 id 7 : tensor<4xf32>
//
// The listener in passes/support/placement/keep_placement.h keeps placements when ops are rewritten.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace cutset::ir {

struct Placement {
  mlir::StringAttr device;  // "cpu:0"; null before the op is placed
  mlir::StringAttr
      reason;  // why the op is on the device; "user" if the user pinned it; null without a device
  int64_t replica = 0;
  int64_t id = 0;  // a forward op and its backward ops have the same id; 0 if the op has no id yet

  // Common subexpression elimination compares placements with this operator. It ignores the reason and the
  // id, so that equal ops with different reasons and ids are merged.
  bool operator==(const Placement& o) const { return device == o.device && replica == o.replica; }
  // Whether all parts are absent.
  bool unset() const { return *this == Placement() && !reason && id == 0; }
  // Whether the user pinned the op to its device.
  bool by_user() const { return device && reason && reason.getValue() == "user"; }
};

inline llvm::hash_code hash_value(const Placement& p) {
  return llvm::hash_combine(p.device.getAsOpaquePointer(), p.replica);
}

// The limits of Placement: replicas are numbered from 0 to kMostReplicas - 1, and ids go up to kMostId.
inline constexpr int64_t kMostReplicas = 4096, kMostId = int64_t{1} << 53;
// Fails with an error at `op` if a number is outside of its limits, if the name of the device is empty, or if
// there is a reason without a device.
mlir::LogicalResult verify_placement(mlir::Operation* op, const Placement& placement);

// The functions that TableGen's property and assembly format call. They convert to a dictionary and back, for
// bytecode and the generic form, and they parse and print.
mlir::Attribute convertToAttribute(mlir::MLIRContext*, const Placement&);
mlir::LogicalResult convertFromAttribute(Placement&, mlir::Attribute,
                                         llvm::function_ref<mlir::InFlightDiagnostic()>);
mlir::ParseResult parsePlacement(mlir::OpAsmParser&, Placement&);
void printPlacement(mlir::OpAsmPrinter&, mlir::Operation*, const Placement&);

}  // namespace cutset::ir
