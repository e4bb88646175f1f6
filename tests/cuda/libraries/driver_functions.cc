// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/driver_functions.h"

#include <dlfcn.h>

#include <type_traits>

#include "tests/cuda/environment.h"

namespace cutset::cuda::doubles {

const DriverFunctions* open_driver_functions() {
  static DriverFunctions d;
  if (d.launch_work) return &d;
  void* const library = dlopen(environment("CUTSET_CUDA_DRIVER").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  bool found = true;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    found = found && function;
  };
  find(d.attribute, "cuDeviceGetAttribute");
  find(d.retain, "cuDevicePrimaryCtxRetain");
  find(d.release, "cuDevicePrimaryCtxRelease_v2");
  find(d.push, "cuCtxPushCurrent_v2");
  find(d.pop, "cuCtxPopCurrent_v2");
  find(d.make_event, "cuEventCreate");
  find(d.release_event, "cuEventDestroy_v2");
  find(d.record, "cuEventRecord");
  find(d.wait, "cuStreamWaitEvent");
  find(d.launch_host, "cuLaunchHostFunc");
  find(d.current_device, "cutset_cuda_double_current_device");
  find(d.device_of, "cutset_cuda_double_device_of");
  find(d.launch_work, "cutset_cuda_double_launch_work");
  return found ? &d : nullptr;
}

}  // namespace cutset::cuda::doubles
