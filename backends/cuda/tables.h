// The optional tables of the device ABI: pinned memory and copies between GPUs, captures as CUDA graphs, and times from
// events. NCCL's collectives are not used yet.
#pragma once
#include "runtime/abi/cutset_device.h"

namespace cutset::cuda {

const cutset_memory_functions& memory_functions();
const cutset_capture_functions& capture_functions();
const cutset_time_functions& time_functions();

}  // namespace cutset::cuda
