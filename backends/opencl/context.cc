// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/context.h"

#include <algorithm>
#include <string_view>

#include "runtime/abi/first_process.h"
#include "runtime/abi/kernel.h"

namespace cutset::opencl {
namespace {

// Returns the lock for discovery and for the creation of contexts. Drivers initialise themselves in their
// first calls, and not every driver can do so while two threads call it.
std::mutex& discovery() {
  static std::mutex mutex;
  return mutex;
}

// The contexts that Context::of returns, with the programs that are compiled in them. They are not released
// at the end of the process, because the driver may have ended by then.
struct Contexts {
  std::mutex mutex;
  std::map<cl_device_id, std::shared_ptr<Context>> all;
};
Contexts& contexts() {
  static auto* all = new Contexts;
  return *all;
}
void forget_contexts() {
  std::map<cl_device_id, std::shared_ptr<Context>> forgotten;  // released without the lock
  std::lock_guard lock(contexts().mutex);
  forgotten.swap(contexts().all);
}

// Whether the code means that an allocation is larger than the free memory.
bool is_too_large(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
         code == CL_INVALID_BUFFER_SIZE;
}
[[noreturn]] void raise(cl_int code, const char* call) {
  const bool memory = is_too_large(code) || code == CL_OUT_OF_RESOURCES;
  throw abi::Exception(memory ? CUTSET_OUT_OF_MEMORY : CUTSET_FAILED,
                       std::string(call) + " failed with OpenCL error " + std::to_string(code));
}

std::vector<cl_device_id> find_devices() {
  cl_uint platforms = 0;
  std::vector<cl_device_id> list;
  if (clGetPlatformIDs(0, nullptr, &platforms) != CL_SUCCESS || platforms == 0) return list;
  std::vector<cl_platform_id> ids(platforms);
  check(clGetPlatformIDs(platforms, ids.data(), nullptr), "clGetPlatformIDs");
  for (cl_platform_id p : ids) {
    cl_uint count = 0;
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) continue;
    const size_t before = list.size();
    list.resize(before + count);
    check(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, count, list.data() + before, nullptr), "clGetDeviceIDs");
  }
  return list;
}

bool has_exact_division(cl_device_id id) {
  cl_device_fp_config has = 0;
  if (clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof has, &has, nullptr) != CL_SUCCESS) return false;
  return (has & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

// Joins the lines of a compiler's log, because an error message is one line.
std::string one_line(const std::string& log) {
  std::string text;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find_first_of(std::string_view("\n\r\0", 3), at), log.size());
    if (end > at) text += (text.empty() ? "" : "; ") + log.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

}  // namespace

void check(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  forget_contexts();
  raise(code, call);
}

void check_allocation(cl_int code, const char* call) {
  if (is_too_large(code)) raise(code, call);
  check(code, call);
}

std::vector<cl_device_id> all_devices() {
  static abi::FirstProcess first;
  first.use("OpenCL");
  std::lock_guard lock(discovery());
  static std::vector<cl_device_id> found;
  if (found.empty()) found = find_devices();
  return found;
}

std::string device_text(cl_device_id id, cl_device_info what) {
  size_t size = 0;
  if (clGetDeviceInfo(id, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  check(clGetDeviceInfo(id, what, size, text.data(), nullptr), "clGetDeviceInfo");
  text.resize(size - 1);
  return text;
}

std::shared_ptr<Context> Context::of(cl_device_id device) {
  const auto find_context = [&]() -> std::shared_ptr<Context> {
    std::lock_guard lock(contexts().mutex);
    const auto found = contexts().all.find(device);
    return found == contexts().all.end() ? nullptr : found->second;
  };
  if (auto context = find_context()) return context;
  auto new_context = std::make_shared<Context>(device);
  std::lock_guard lock(contexts().mutex);
  return contexts().all.emplace(device, new_context).first->second;  // another thread may have been faster
}

Context::Context(cl_device_id device, size_t most_programs)
    : device_(device), most_programs_(most_programs), exact_division_(has_exact_division(device)) {
  cl_int code = CL_SUCCESS;
  {
    std::lock_guard lock(discovery());
    handle_.reset(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
  }
  check(code, "clCreateContext");
}

Kernel Context::kernel(const std::string& source, const char* name) {
  std::lock_guard lock(mutex_);
  auto found = programs_.find(source);
  if (found == programs_.end()) {
    if (programs_.size() >= most_programs_) release_least_recent();
    found = programs_.emplace(source, Program{compile(source)}).first;
  }
  found->second.last_use = ++uses_;
  cl_int code = CL_SUCCESS;
  Kernel kernel(clCreateKernel(found->second.handle.get(), name, &code));
  check(code, "clCreateKernel");
  return kernel;
}

Owned<cl_program> Context::compile(const std::string& source) const {
  cl_int code = CL_SUCCESS;
  const char* text = source.c_str();
  Owned<cl_program> p(clCreateProgramWithSource(handle(), 1, &text, nullptr, &code));
  check(code, "clCreateProgramWithSource");
  // -w turns warnings off. A source has kernels for several types, and the compiler warns about v != v, the
  // test for NaN, where v is an integer.
  std::string options = "-cl-std=CL1.2 -w";
  if (exact_division_) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  code = clBuildProgram(p.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    size_t size = 0;
    clGetProgramBuildInfo(p.get(), device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(p.get(), device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    if (code != CL_BUILD_PROGRAM_FAILURE && log.find_first_not_of('\0') == std::string::npos)
      check(code, "clBuildProgram");
    throw abi::Exception(CUTSET_FAILED, "an OpenCL kernel does not compile: " + one_line(log));
  }
  return p;
}

void Context::release_least_recent() {
  programs_.erase(std::min_element(programs_.begin(), programs_.end(), [](const auto& a, const auto& b) {
    return a.second.last_use < b.second.last_use;
  }));
}

}  // namespace cutset::opencl
