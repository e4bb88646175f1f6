// SPDX-License-Identifier: Apache-2.0
// The devices of OpenCL, their contexts, and the kernels that are compiled in them.
//
// Devices with the same index share one context, which outlives them. The next session of the process
// therefore does not compile again what a session has compiled. With PoCL, a new context reads 9 MB of
// built-in functions, and each program parses headers with 20,000 lines, even if its cache has the kernel
// (docs/decisions/0052-opencl-devices-share-a-context.md).
//
// Kernels are written in OpenCL C 1.2 and compiled when a program is loaded. Drivers usually cache compiled
// kernels on disk. Shapes are arguments of a kernel, so one source serves all shapes.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace cutset::opencl {

// Throws, naming the OpenCL function and the error code, if `code` is not CL_SUCCESS. The exception
// has the code CUTSET_OUT_OF_MEMORY if memory is exhausted, and CUTSET_FAILED otherwise. Devices that are
// opened afterwards get new contexts, because some drivers let every call fail in a context in which a
// command has failed.
void check(cl_int code, const char* call);
// Does the same for a call that only allocates memory. If there is not enough memory, later devices still get
// the same contexts.
void check_allocation(cl_int code, const char* call);

// Returns all devices of all platforms; none if no platform is installed. Any thread may call this. Throws in
// a child process if its parent has called it before fork().
std::vector<cl_device_id> all_devices();
// Returns a text property of the device, such as CL_DEVICE_NAME, or an empty text if the device does not have
// it.
std::string device_text(cl_device_id id, cl_device_info what);

// Objects of OpenCL that are released with their owner.
struct Release {
  void operator()(cl_context context) const { clReleaseContext(context); }
  void operator()(cl_command_queue queue) const { clReleaseCommandQueue(queue); }
  void operator()(cl_program program) const { clReleaseProgram(program); }
  void operator()(cl_kernel kernel) const { clReleaseKernel(kernel); }
};
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Release>;
using Kernel = Owned<cl_kernel>;

// A context of one device, with the programs that are compiled in it. The process and the users of a context
// share ownership of it, so later users get the same context. Any thread may use it.
class Context {
 public:
  // Returns the context that the process has for the device, and creates it if there is none. Throws if
  // OpenCL cannot create it. Any thread may call this.
  static std::shared_ptr<Context> of(cl_device_id device);
  // Creates a context that is not shared. It keeps at most `most_programs` compiled sources, and then
  // releases the least recently used source. Kernels of a released program stay valid.
  explicit Context(cl_device_id device, size_t most_programs = 256);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  cl_device_id device() const { return device_; }
  cl_context handle() const { return handle_.get(); }
  // Whether the device can round division and square roots of floats correctly. OpenCL allows errors of some
  // units in the last place unless a program is built with an option that only such devices have.
  bool exact_division() const { return exact_division_; }
  // Creates the kernel `name` of a source, which is compiled at the first call. Throws with the compiler's
  // log if the source does not compile. Any thread may call this.
  Kernel kernel(const std::string& source, const char* name);

 private:
  struct Program {
    Owned<cl_program> handle;
    uint64_t last_use = 0;
  };

  Owned<cl_program> compile(const std::string& source) const;
  void release_least_recent();

  const cl_device_id device_;
  const size_t most_programs_;
  const bool exact_division_;
  Owned<cl_context> handle_;
  std::mutex mutex_;                         // guards the members below
  std::map<std::string, Program> programs_;  // by source text
  uint64_t uses_ = 0;
};

}  // namespace cutset::opencl
