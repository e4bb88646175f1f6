// SPDX-License-Identifier: Apache-2.0
// Marks the devices that have less memory than a program takes.
#pragma once
#include <map>
#include <string>

#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// Of a module: a dictionary from the names of the devices whose limit the program exceeds to texts.
inline constexpr llvm::StringLiteral kOverLimit = "cutset.over_limit";

// The memory that a program takes of a device, and that the device has, in bytes.
struct MemoryOfDevice {
  uint64_t needed = 0;
  uint64_t limit = 0;  // 0: none
};

// Sets the attribute kOverLimit of the module, or removes it if no device has too little memory. The key of
// `memory` is the name of a device. Drawings mark the devices of the attribute.
void mark_over_limit(mlir::ModuleOp module, const std::map<std::string, MemoryOfDevice>& memory);

}  // namespace cutset::passes
