#include "backends/opencl/device.h"

namespace cutset::opencl {

void check(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
                      code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
  throw abi::Exception(memory ? CUTSET_OUT_OF_MEMORY : CUTSET_FAILED,
                       std::string(call) + " failed with OpenCL error " + std::to_string(code));
}

namespace {

// The lock for discovery and the creation of contexts. Drivers initialise themselves in their first calls, and not
// every driver can do so while two threads call it.
std::mutex& discovery() {
  static std::mutex mutex;
  return mutex;
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

}  // namespace

std::vector<cl_device_id> all_devices() {
  std::lock_guard lock(discovery());
  static std::vector<cl_device_id> found;
  if (found.empty()) found = find_devices();
  return found;
}

cl_context make_context(cl_device_id id) {
  std::lock_guard lock(discovery());
  cl_int code = CL_SUCCESS;
  cl_context context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  return context;
}

std::string device_text(cl_device_id id, cl_device_info what) {
  size_t size = 0;
  if (clGetDeviceInfo(id, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  check(clGetDeviceInfo(id, what, size, text.data(), nullptr), "clGetDeviceInfo");
  text.resize(size - 1);
  return text;
}

bool has_exact_division(cl_device_id id) {
  cl_device_fp_config has = 0;
  if (clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof has, &has, nullptr) != CL_SUCCESS) return false;
  return (has & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

void Queue::finish() {
  const cl_int finished = clFinish(queue);
  cl_int failed = CL_SUCCESS;
  for (cl_event e : commands) {
    if (!e) continue;
    cl_int status = CL_COMPLETE;
    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status < 0 && failed == CL_SUCCESS) failed = status;
    clReleaseEvent(e);
  }
  commands.clear();
  check(finished, "clFinish");
  check(failed, "a command of the queue");
}

Device::~Device() {
  for (auto& [source, p] : programs) clReleaseProgram(p);
  if (context) clReleaseContext(context);
}

cl_program Device::program(const std::string& source) {
  std::lock_guard lock(mutex);
  if (auto it = programs.find(source); it != programs.end()) return it->second;
  cl_int code = CL_SUCCESS;
  const char* text = source.c_str();
  cl_program p = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
  check(code, "clCreateProgramWithSource");
  const char* options = exact_division ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2";
  if (clBuildProgram(p, 1, &id, options, nullptr, nullptr) != CL_SUCCESS) {
    size_t size = 0;
    clGetProgramBuildInfo(p, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(p, id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    clReleaseProgram(p);
    throw abi::Exception(CUTSET_FAILED, "an OpenCL kernel does not compile: " + log);
  }
  return programs[source] = p;
}

}  // namespace cutset::opencl
