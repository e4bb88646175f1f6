// SPDX-License-Identifier: Apache-2.0
// The functions of the driver double that the doubles of the libraries use.
#pragma once
#include "backends/cuda/driver_api.h"

namespace cutset::cuda::doubles {

// Memory that a command uses.
struct MemoryRange {
  const void* begin = nullptr;
  size_t bytes = 0;
};

struct DriverFunctions {
  decltype(DriverApi::device_attribute) attribute = nullptr;
  decltype(DriverApi::retain_context) retain = nullptr;
  decltype(DriverApi::release_context) release = nullptr;
  decltype(DriverApi::push_context) push = nullptr;
  decltype(DriverApi::pop_context) pop = nullptr;
  decltype(DriverApi::make_event) make_event = nullptr;
  decltype(DriverApi::release_event) release_event = nullptr;
  decltype(DriverApi::record_event) record = nullptr;
  decltype(DriverApi::wait_for_event) wait = nullptr;
  decltype(DriverApi::launch_host) launch_host = nullptr;
  // Functions that NVIDIA's driver does not have. They return the device of the current context, and the
  // device whose memory contains a range. Both return -1 if there is none.
  int (*current_device)() = nullptr;
  int (*device_of)(const void* at, size_t bytes) = nullptr;
  // Appends a command to a stream as launch_host does. The command and the context fail if one of the ranges
  // is not allocated any more when the command runs, or if `work` returns an error.
  Status (*launch_work)(Stream stream, const char* (*work)(void*), void* data, const MemoryRange* ranges,
                        size_t count) = nullptr;
};
// Returns the functions, or null if the environment variable CUTSET_CUDA_DRIVER does not name the driver
// double. Only the first call that finds them reads the variable. The caller holds the lock of its library.
const DriverFunctions* open_driver_functions();

}  // namespace cutset::cuda::doubles
