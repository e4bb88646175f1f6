// SPDX-License-Identifier: Apache-2.0
// Texts that say where an op is, for the reasons of placements and for errors.
#pragma once
#include <string>

#include "graph/config/fitted_strategy.h"
#include "mlir/IR/Operation.h"
#include "runtime/device/device.h"

namespace cutset::passes {

// Returns the name of a copy of the graph, such as "replica 1 of 2, device 1 of 3 of the tensor axis", or an
// empty text if there is one copy.
std::string copy_text(const FittedStrategy& strategy, int64_t copy);
// Returns the form in which an op is computed on a tensor axis: ": dimension 1 is divided", ": a partial sum"
// or ": whole". Returns an empty text if there is no tensor axis.
std::string piece_text(const FittedStrategy& strategy, mlir::Operation* op);

// Returns the names of the devices: "cpu:0,sim:0".
std::string names_text(const DeviceList& devices);
// Returns "line 12 of the plan", or "the plan" if the plan does not come from a text (line 0).
std::string line_text(int64_t line);

}  // namespace cutset::passes
