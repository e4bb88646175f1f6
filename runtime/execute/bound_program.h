// SPDX-License-Identifier: Apache-2.0
// What the bound functions of a program share.
#pragma once
#include <memory>
#include <vector>

#include "runtime/execute/executor.h"
#include "runtime/execute/prepared_kernels.h"
#include "runtime/program/program.h"

namespace cutset {

// The program of a function, with the resources of devices that it owns. Vectors are indexed by the devices
// of the program. All members outlive the functions that are bound.
struct BoundProgram {
  Executor& executor;
  Program program;
  std::vector<size_t> device_of;                  // the index of the device in the executor
  std::vector<std::unique_ptr<Handles>> handles;  // the constants, events and plans
  std::vector<cutset_slice> constants;            // by constant
  PreparedKernels kernels;
  std::vector<cutset_buffer> arenas;  // empty while the program is not bound

  OpenDevice& device(size_t d) { return executor.devices().device(device_of[d]); }
  // Returns the descriptions of the devices of the program.
  DeviceList descriptions() const;
  // Allocates one block of host memory per device. `bytes` has the sizes of the blocks by device. A block of
  // 0 bytes is null.
  Result<std::vector<char*>> host_blocks(const std::vector<uint64_t>& bytes);
};

}  // namespace cutset
