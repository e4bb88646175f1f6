// SPDX-License-Identifier: Apache-2.0
// The configuration of a compilation, parsed and checked.
//
// frontends/cpp/session/configure.h builds it from the options that users write. Every pass reads it, and no
// pass changes it.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "graph/config/fitted_strategy.h"
#include "graph/config/plan.h"
#include "graph/partition/device_grid.h"
#include "ir/core/types.h"
#include "runtime/device/device.h"

namespace cutset {

struct CompileConfig {
  DeviceList devices;       // all compilations of a session share these descriptions
  FittedStrategy strategy;  // it fits the number of devices
  // Returns the devices as the strategy uses them.
  DeviceGrid grid() const {
    return {devices.size(), static_cast<size_t>(strategy.copies()),
            static_cast<size_t>(strategy.tensor_devices())};
  }
  std::optional<Plan> plan;  // none: `place` decides alone
  std::string function;      // the only function to compile; empty: all functions
  std::map<std::string, Shape>
      input_shapes;          // name of an input -> the shape that replaces its shape in the graph
  DType dtype = DType::f32;  // f64: every f32 of the graph becomes f64
  int64_t shards = 0;        // shards of the batch, whatever the strategy is; 0: one shard per replica
  bool describe = false;     // the result of the compilation has texts, drawings, logs and explanations
// The options that are copied from CompileOptions (<cutset/session.h>), whose comments explain them.
#define CUTSET_NUMBER(member, initial, least, most, help) int64_t member = initial;
#define CUTSET_FLAG(member, initial, in_commands, help) bool member = initial;
#include "passes/copied_options.inc"
  // Compiles the program that `verify` compares with: after `split`, all placements of ops are removed, pins
  // included, and no op is folded on its device, so that the program computes every value that a partitioned
  // program may have.
  bool for_reference = false;
  std::string last_phase;      // the compilation ends after this phase; empty: it runs all phases
  std::string dump_directory;  // every phase is written there as MLIR and DOT; empty: nothing is written
};

}  // namespace cutset
