// The devices opencl:N. N counts the devices of all OpenCL platforms, in the order in which OpenCL lists them.
//
// Kernels are written in OpenCL C 1.2 and compiled when a program is loaded. Drivers usually cache compiled kernels on
// disk. Shapes are arguments of a kernel, so one source serves all shapes. Functions throw abi::Exception, which the
// adapters of the ABI turn into errors.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"

namespace cutset::opencl {

// Throws, naming the OpenCL function and the error code, if `code` is not CL_SUCCESS. The exception
// has the code CUTSET_OUT_OF_MEMORY if memory is exhausted, and CUTSET_FAILED otherwise.
void check(cl_int code, const char* call);

// All devices of all platforms; empty if no platform is installed. Any thread may call this function and make_context.
std::vector<cl_device_id> all_devices();
cl_context make_context(cl_device_id id);
// Whether the device can round division and square roots of floats correctly. OpenCL allows errors of some units in the last
// place unless a program is built with an option that only such devices have.
bool has_exact_division(cl_device_id id);
// The alignment of tensors and of blocks of scratch memory, in bytes: the size of OpenCL's largest type, long16.
inline constexpr uint32_t kAlignment = 128;
// A text property of the device, such as CL_DEVICE_NAME; empty if the device does not have it.
std::string device_text(cl_device_id id, cl_device_info what);

// An event of the device ABI: a number that grows. `value` is that of the last signal that has been submitted.
struct Event : abi::HostEvent {
  cl_event last = nullptr;  // completes when the device has reached that signal; guarded by the mutex
};

struct Device {
  cutset_device_info info;
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  bool exact_division = false;                 // the device can round division and sqrt of floats correctly
  std::mutex mutex;                            // guards the programs
  std::map<std::string, cl_program> programs;  // by source text
  abi::HostEvents events;

  ~Device();
  // The compiled program of a source, which is compiled at the first call. Throws with the compiler's log if it does
  // not compile. Any thread may call this.
  cl_program program(const std::string& source);
};

struct Queue {
  Device* device;
  cl_command_queue queue;
  // The events of the commands since the last finish(). An element is null if its command was not enqueued.
  std::vector<cl_event> commands = {};

  // Where OpenCL puts the event of a command. The address is valid until the next call.
  cl_event* next_event() { return &commands.emplace_back(nullptr); }
  // Blocks until all commands are done. Throws if one of them has failed, which clFinish alone does not report.
  void finish();
};

inline Device* of(cutset_device d) { return reinterpret_cast<Device*>(d); }
inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }
inline Event* of(cutset_event e) { return reinterpret_cast<Event*>(e); }
inline cl_mem of(cutset_buffer b) { return reinterpret_cast<cl_mem>(b); }

}  // namespace cutset::opencl
