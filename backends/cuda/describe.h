// SPDX-License-Identifier: Apache-2.0
// The properties of a GPU, from the driver.
#pragma once
#include <string>

#include "backends/cuda/driver_api.h"
#include "runtime/abi/cutset_device.h"

namespace cutset::cuda {

// Asks the host to record kernels as CUDA graphs, unless the environment variable CUTSET_CUDA_NO_GRAPHS is
// set to a value other than 0. Sets speeds, memory and description from GPU number info->index. Without a
// driver or without this GPU, sets them to estimates for a server GPU of compute capability 8.0. A device
// file can give other numbers.
void describe_device(cutset_device_info* info);
// Throws abi::Exception with CUTSET_UNAVAILABLE and the reason if GPU number info->index cannot be used.
void check_available(const cutset_device_info& info);
// Returns the architecture of a GPU as the compiler names it: "sm_90". Throws abi::Exception.
std::string architecture_of(DeviceId id);

}  // namespace cutset::cuda
