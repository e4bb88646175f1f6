// SPDX-License-Identifier: Apache-2.0
// The optional tables of the device ABI: pinned memory and copies between GPUs, captures as CUDA graphs, and
// times from events. The sums and messages between GPUs are in nccl/collectives.h.
#pragma once
#include "runtime/abi/cutset_device.h"

namespace cutset::cuda {

const cutset_memory_functions& memory_functions();
const cutset_capture_functions& capture_functions();
const cutset_time_functions& time_functions();

}  // namespace cutset::cuda
