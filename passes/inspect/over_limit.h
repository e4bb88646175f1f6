// SPDX-License-Identifier: Apache-2.0
// Marks the devices that have less memory than a program takes.
#pragma once
#include <map>
#include <string>

#include "mlir/IR/BuiltinOps.h"

namespace cutset::passes {

// The attribute of a module that lists the devices whose memory limit the program exceeds: a dictionary from
// their names to texts.
inline constexpr llvm::StringLiteral kOverLimit = "cutset.over_limit";

// The bytes of memory that a program needs on a device, and the limit of the device in bytes.
struct MemoryOfDevice {
  uint64_t needed = 0;
  uint64_t limit = 0;  // 0: none
};

// Sets the attribute kOverLimit of the module, or removes it if no device has too little memory. The key of
// `memory` is the name of a device. Drawings mark the devices of the attribute.
void mark_over_limit(mlir::ModuleOp module, const std::map<std::string, MemoryOfDevice>& memory);

}  // namespace cutset::passes
