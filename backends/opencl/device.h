// opencl:N - the Nth device of all OpenCL platforms. Kernels are OpenCL C 1.2, compiled when a program is
// loaded (the driver caches them on disk) with shapes as arguments.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/abi/kernel.h"

namespace cutset::opencl {

// Throws with the call's name and OpenCL's code.
void check(cl_int code, const char* call);

// Found once a process. Any thread may call these two.
std::vector<cl_device_id> all_devices();
cl_context make_context(cl_device_id id);
// What the start of a sub-buffer must be a multiple of, in bytes.
uint32_t base_alignment(cl_device_id id);
// What tensors and pieces of scratch memory are multiples of at least: a page.
inline constexpr uint32_t kAlignment = 4096;
std::string device_text(cl_device_id id, cl_device_info what);

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t value = 0;       // submitted so far
  cl_event last = nullptr;  // completes when `value` is reached
  bool abandoned = false;
};

struct Device {
  cutset_device_info info;
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  std::mutex mutex;
  std::map<std::string, cl_program> programs;  // by source
  std::vector<Event*> events;

  ~Device();
  // Builds once for each source; throws with the compiler's log.
  cl_program program(const std::string& source);
};

struct Queue {
  Device* device;
  cl_command_queue queue;
};

inline Device* of(cutset_device d) { return reinterpret_cast<Device*>(d); }
inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }
inline Event* of(cutset_event e) { return reinterpret_cast<Event*>(e); }
inline cl_mem of(cutset_tensor t) { return reinterpret_cast<cl_mem>(t); }
inline cl_mem of(cutset_buffer b) { return reinterpret_cast<cl_mem>(b); }

}  // namespace cutset::opencl
