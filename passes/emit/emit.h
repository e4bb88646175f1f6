// SPDX-License-Identifier: Apache-2.0
// Turns the schedules of a lowered module into a Program: queues of instructions over packed buffers.
//
//   cutset.schedule @"train/cpu:0" for "train"        in:       input "x" -> buffer 0; signal 0
//     %x = cutset.input "x"                           compute:  wait 0; kernel relu.reference 0 -> 1;
//     %y = cutset.call @"train/cpu:0/forward0"(%x) ->           signal 1
//     cutset.send %y to "sim:0" channel 0             out:      wait 1; send 1 over channel 0
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset::passes {

// Emits all functions of `module`, which `lower` has processed. `devices` are the devices of the compilation.
// Fails if an op has no kernel, if an action has no instruction, if a sum has a type that cannot be summed,
// or if the session cannot feed an argument. The error names the op, the action, the element type or the
// argument.
Result<Program> emit(mlir::ModuleOp module, const DeviceList& devices);

}  // namespace cutset::passes
