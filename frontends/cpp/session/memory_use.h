// SPDX-License-Identifier: Apache-2.0
// The memory that a program takes of each device, in the form of the public headers.
#pragma once
#include <cutset/session.h>

#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset {

// Returns the function that transfers, memory and drawings describe: "train", or else another function that
// trains, or else "evaluate" or the first function.
const Function& main_function(const Program& program);
// Returns the memory of each device, in the order of the devices. Fails if a kernel cannot tell its scratch
// memory.
Result<std::vector<MemoryUse>> memory_use(const Program& program, const DeviceList& devices);

}  // namespace cutset
