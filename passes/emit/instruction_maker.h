// SPDX-License-Identifier: Apache-2.0
// Makes instructions of a program.
#pragma once
#include <tuple>

#include "ir/structural/structural.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/support/placement/pipeline_stages.h"
#include "runtime/program/program.h"

namespace cutset::passes {

class InstructionMaker {
 public:
  // `roles`: the symbols of the module. `stages`: the stages of the function. Both must outlive this object.
  InstructionMaker(const mlir::SymbolTable& roles, const PipelineStages& stages)
      : roles_(roles), stages_(stages) {}

  // Returns an instruction that names the op, the layer, the source line, the role and the stage of `op`,
  // which is an op of a role or an action of a schedule.
  Instruction make(Command command, mlir::Operation* op);

 private:
  // Returns the role that `op` belongs to. For an action, this is the role that computes the value that it
  // sends, or that reads the value that it receives. Returns null if there is none.
  mlir::func::FuncOp role_of(mlir::Operation* op) const;
  mlir::func::FuncOp role_that_computes(mlir::Value value) const;
  mlir::func::FuncOp role_that_reads(mlir::Operation* action) const;
  int32_t stage_of(mlir::func::FuncOp role);

  const mlir::SymbolTable& roles_;
  const PipelineStages& stages_;
  llvm::DenseMap<mlir::Operation*, int32_t> stage_of_role_;  // each is searched for once
  // By the location and the name of an op, its role and its stage. The calls of a function share one
  // location.
  llvm::DenseMap<std::tuple<const void*, const void*, const void*, int32_t>, SharedNames> names_;
};

}  // namespace cutset::passes
