// SPDX-License-Identifier: Apache-2.0
// The objects to which the handles of the device ABI point, and the class that makes the right context
// current.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "backends/cuda/library.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"

namespace cutset::cuda {

inline constexpr uint32_t kAlignment =
    256;  // the alignment of slices in buffers; the driver guarantees it for an allocation

// A buffer of the ABI is an address of the driver and has no object.
inline Address address(const cutset_slice& s) { return reinterpret_cast<Address>(s.buffer) + s.offset; }

// An event of the ABI: a number that grows. `value` is the number of the last signal that has been submitted.
struct Event : abi::HostEvent {
  DriverEvent last = nullptr;  // is recorded again by each signal; guarded by the mutex
};

struct Device {
  cutset_device_info info;
  DeviceId id = 0;
  Context context = nullptr;
  std::string architecture;  // for the compiler: "sm_90"
  abi::HostEvents events;

  // Retains the context of GPU number info.index. Throws.
  explicit Device(const cutset_device_info& info);
  ~Device();
  Device(const Device&) = delete;

  // Returns the kernel `name` of a source, which is compiled at the first call. Any thread may call it.
  // Throws with the compiler's log if the source does not compile.
  Function function(const std::string& source, const char* name);

  // Returns the text under which the host keeps the verdict about a kernel (cutset_kernel::identity). It
  // names the GPU, the versions of the driver and of NVRTC, and `library`: the name and version of the
  // library that the kernel calls, if any. It is valid as long as the device. Any thread may call it. Throws.
  const char* identity(const std::string& library);

 private:
  std::mutex mutex_;                       // guards the members below
  std::map<std::string, Module> modules_;  // by source
  std::set<std::string> identities_;
};

inline Device* of(cutset_device d) { return reinterpret_cast<Device*>(d); }
inline Event* of(cutset_event e) { return reinterpret_cast<Event*>(e); }

// Makes the context of a device current for the calling thread as long as the object lives. Threads of the
// host use several devices, and other libraries of the process have their own contexts.
class Current {
 public:
  explicit Current(const Device& device) { CUTSET_CUDA(push_context, device.context); }
  ~Current() {
    Context popped = nullptr;
    driver().pop_context(&popped);
  }
  Current(const Current&) = delete;
};

}  // namespace cutset::cuda
