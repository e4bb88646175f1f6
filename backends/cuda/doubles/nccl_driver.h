// The functions of the driver double that the double of NCCL uses.
#pragma once
#include "backends/cuda/driver_api.h"

namespace cutset::cuda::doubles {

struct NcclDriver {
  decltype(DriverApi::retain_context) retain = nullptr;
  decltype(DriverApi::release_context) release = nullptr;
  decltype(DriverApi::push_context) push = nullptr;
  decltype(DriverApi::pop_context) pop = nullptr;
  decltype(DriverApi::make_event) make_event = nullptr;
  decltype(DriverApi::release_event) release_event = nullptr;
  decltype(DriverApi::record_event) record = nullptr;
  decltype(DriverApi::wait_for_event) wait = nullptr;
  decltype(DriverApi::launch_host) launch_host = nullptr;
  // Functions that NVIDIA's driver does not have: the device of the current context, and the one in whose memory a range
  // lies, or -1.
  int (*current_device)() = nullptr;
  int (*device_of)(const void* at, size_t bytes) = nullptr;
};
// Returns the functions, or null if the environment variable CUTSET_CUDA_DRIVER does not name the driver double. Only the
// first call that finds them reads the variable.
const NcclDriver* open_nccl_driver();

}  // namespace cutset::cuda::doubles
