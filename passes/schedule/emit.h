// The last step: schedules of actions become queues of instructions over packed buffers.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "runtime/device.h"
#include "runtime/program.h"

namespace cutset::passes {

// `module` is lowered. Fails only on what no pass should leave behind, naming it.
Result<Program> emit(mlir::ModuleOp module, const DeviceList& devices);

}  // namespace cutset::passes
