// SPDX-License-Identifier: Apache-2.0
// The devices opencl:N. N counts the devices of all OpenCL platforms, in the order in which OpenCL lists
// them.
//
// Functions throw abi::Exception, which the adapters of the ABI turn into errors.
#pragma once
#include <memory>
#include <vector>

#include "backends/opencl/context.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"

namespace cutset::opencl {

// The alignment of tensors and of blocks of scratch memory, in bytes: the size of OpenCL's largest type,
// long16.
inline constexpr uint32_t kAlignment = 128;
// An event of the device ABI: a number that grows. `value` is the number of the last signal that has been
// submitted.
struct Event : abi::HostEvent {
  cl_event last = nullptr;  // completes when the device has reached that signal; guarded by the mutex
};

struct Device {
  cutset_device_info info;
  std::shared_ptr<Context>
      context;  // shared by the devices of this index that were opened since the last failure
  abi::HostEvents events;
};

struct Queue {
  Device* device;
  cl_command_queue queue;
  // The events of the commands since the last finish(). An element is null if its command was not enqueued.
  std::vector<cl_event> commands = {};

  // Returns the address to which OpenCL writes the event of a command. The address is valid until the next
  // call.
  cl_event* next_event() { return &commands.emplace_back(nullptr); }
  // Blocks until all commands are done. Throws if one of them has failed, which clFinish alone does not
  // report.
  void finish();
};

inline Device* of(cutset_device d) { return reinterpret_cast<Device*>(d); }
inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }
inline Event* of(cutset_event e) { return reinterpret_cast<Event*>(e); }
inline cl_mem of(cutset_buffer b) { return reinterpret_cast<cl_mem>(b); }

}  // namespace cutset::opencl
