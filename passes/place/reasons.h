// SPDX-License-Identifier: Apache-2.0
// Texts that say where an op is, for the reasons of placements and for errors.
#pragma once
#include <string>

#include "graph/config/fitted_strategy.h"
#include "mlir/IR/Operation.h"
#include "runtime/device/device.h"

namespace cutset::passes {

// "replica 1 of 2, device 1 of 3 of the tensor axis": the copy of the graph. Empty if there is one copy.
std::string copy_text(const FittedStrategy& strategy, int64_t copy);
// ": dimension 1 is divided", ": a partial sum" or ": whole": what an op computes on a tensor axis. Empty
// without one.
std::string piece_text(const FittedStrategy& strategy, mlir::Operation* op);

// "cpu:0,sim:0": the names of the devices.
std::string names_text(const DeviceList& devices);
// "line 12 of the plan", or "the plan" if the plan does not come from a text (line 0).
std::string line_text(int64_t line);

}  // namespace cutset::passes
