// SPDX-License-Identifier: Apache-2.0
// The role that tests whether the operands of a device's updates are finite.
#pragma once
#include "ir/structural/structural.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Whether an operand of an update must be tested: all floating-point tensors, except scalars that the session
// feeds to `function`, which the session has tested.
bool needs_test(mlir::func::FuncOp function, mlir::Value operand);
// Describes an operand of an update for people, such as "the gradient of variable 'w'".
std::string description_of(mlir::OpOperand& operand);

// The values that a role tests, each with its description for people.
using CheckedValues = llvm::MapVector<mlir::Value, mlir::Attribute>;

// Makes the role @`name`, whose only op has the id `id` and sets a flag. It has an argument per checked
// value. Fails if the op does not accept a type.
mlir::FailureOr<mlir::func::FuncOp> make_check_role(mlir::OpBuilder& builder, mlir::func::FuncOp function,
                                                    const std::string& name, mlir::StringAttr device,
                                                    int64_t id, const CheckedValues& checked);

}  // namespace cutset::passes
