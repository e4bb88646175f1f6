// SPDX-License-Identifier: Apache-2.0
// The devices on which variables live.
#pragma once
#include <map>
#include <string>

#include "graph/config/plan.h"
#include "graph/partition/device_grid.h"
#include "ir/structural/structural.h"
#include "passes/passes.h"

namespace cutset::passes {

// The home of each variable in each replica: the home that the plan names, or else the device of the first
// placed op of the replica that reads the variable, or else the first device of the replica that has ops, or
// else, in a replica without samples, its first device. Complexity: O(variables * replicas + ops). Failure:
// none.
class VariableHomes {
 public:
  // Chooses the homes. `planned` has the homes that the plan names, by variable.
  VariableHomes(mlir::ModuleOp module, const CompileConfig& config, const DeviceGrid& grid,
                const std::map<std::string, const Plan::Home*>& planned);
  // Returns the home of the variable that is read.
  mlir::StringAttr& of(ir::ReadOp read);
  // Writes the homes to the variables of the module.
  void write();

 private:
  // Returns the device of a variable that no op of the copy reads.
  mlir::StringAttr first_device(int64_t copy, const DeviceList& devices, const DeviceGrid& grid) const;

  mlir::ModuleOp module_;
  llvm::DenseSet<mlir::StringAttr> used_;                             // the devices that have ops
  std::map<std::string, llvm::SmallVector<mlir::StringAttr>> homes_;  // by variable, one per replica
};

}  // namespace cutset::passes
