// SPDX-License-Identifier: Apache-2.0
// Makes constants of a program.
#pragma once
#include "ir/structural/structural.h"
#include "runtime/program/program.h"

namespace cutset::passes {

// Returns the constant with its elements in row-major order. Fails if the module does not store the elements.
Result<Constant> constant_of(ir::ConstantOp op, int32_t device);

}  // namespace cutset::passes
