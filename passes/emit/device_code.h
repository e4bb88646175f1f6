// SPDX-License-Identifier: Apache-2.0
// The code of one device in one function while it is emitted: its instructions, its buffers, and the buffer
// of each value.
#pragma once
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "passes/emit/device_memory.h"
#include "passes/emit/instruction_maker.h"
#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset::passes {

// Tables in which the emitters look up names. emit() makes them once.
struct Names {
  const mlir::SymbolTable& roles;  // the symbols of the module
  llvm::StringMap<VariableId> variables;
  llvm::StringMap<PortId> inputs, outputs;  // the inputs and outputs of the function
  PipelineStages stages;                    // the stages of the function

  // Fails if there is no such variable.
  Result<VariableId> find_variable(mlir::StringRef name) const;
};

// What the emitters of a device read, and the program and the function to which they append. All must stay
// valid.
struct EmitContext {
  const Names& names;
  Program& program;
  Function& function;
  int32_t device;
  const DeviceDescription& description;
  // The alignment of tensors in a bucket, which is the same on all devices of the program.
  uint64_t alignment;
};

struct DeviceCode : EmitContext {
  explicit DeviceCode(const EmitContext& context);

  // Appends to `compute`, or, if the commit was reached, to `apply`.
  void append(Queue queue, Instruction instruction);
  void copy(BufferId from, BufferId to);
  // Makes a buffer that is the variable.
  BufferId new_buffer_of(const TensorType& type, VariableId variable);
  // Returns the variable whose memory the buffer uses; not set: none.
  VariableId variable_in(BufferId buffer) const;
  // Packs the arena. `region`: null if no role is called several times.
  void pack(DeviceMemory::Region* region);

  DevicePlan& plan;
  DeviceMemory memory;
  InstructionMaker make;
  llvm::DenseMap<mlir::Value, BufferId> buffer_of;
  std::vector<Queue> queues;  // the queues of the instructions in `compute`, in the order of the schedule
  bool applying = false;      // the commit was reached
};

}  // namespace cutset::passes
