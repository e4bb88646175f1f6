// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of the doubles: the libraries, and kernels that run on device 0.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/cuda/compiler_api.h"
#include "backends/cuda/driver_api.h"
#include "backends/cuda/symbols.h"

namespace cutset::cuda::doubles {

// Whether ThreadSanitizer, and whether AddressSanitizer, ends the process at a deliberate mistake. If so,
// tests leave the mistake out.
inline const bool kReportsRaces = dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
inline const bool kReportsBounds = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;

// Opens a library.
inline void* open_double(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  return library;
}

// Returns the functions of an open double. Throws if it lacks a function.
template <class Api>
Api functions_of(void* library) {
  const char* missing = nullptr;
  const Api api = find_functions<Api>(library, missing);
  if (missing) throw std::runtime_error(std::string("the double has no function ") + missing);
  return api;
}

// Returns the file of the double of a library: "blas", "cudnn" or "nccl". It is in the folder of the driver
// double.
inline std::string double_of(const std::string& library) {
  std::string path = CUTSET_CUDA_DRIVER_DOUBLE;
  const std::string driver = "driver_double";
  return path.replace(path.rfind(driver), driver.size(), library + "_double");
}

// Sets an environment variable as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const value_before = std::getenv(name)) {
      before_ = value_before;
      was_set_ = true;
    }
    setenv(name, value, 1);
  }
  ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};
// Names the driver double in the environment, where the first call of another double that needs it looks.
inline Variable name_driver() { return {"CUTSET_CUDA_DRIVER", CUTSET_CUDA_DRIVER_DOUBLE}; }

// The base of a test with a context of device 0. It begins with seed 0 and leaves the driver double without
// faults. The functions throw if a call that must succeed fails.
class Doubles {
 protected:
  Doubles() {
    void* const library = open_double(CUTSET_CUDA_DRIVER_DOUBLE);
    driver = functions_of<DriverApi>(library);
    set_seed = reinterpret_cast<decltype(set_seed)>(dlsym(library, "cutset_cuda_double_seed"));
    compiler = functions_of<CompilerApi>(open_double(CUTSET_CUDA_COMPILER_DOUBLE));
    set_seed(0);
    expect(driver.init(0));
    expect(driver.device(&device, 0));
    expect(driver.retain_context(&context, device));
    expect(driver.push_context(context));
  }
  ~Doubles() {
    set_seed(0);
    for (Address address : allocated) driver.free(address);
    for (Module module : loaded) driver.release_module(module);
    Context popped = nullptr;
    driver.pop_context(&popped);
    driver.release_context(device);
  }

  static void expect(Status status) {
    if (status != kSuccess)
      throw std::runtime_error("a call has failed with status " + std::to_string(status));
  }

  // Compiles a source. Returns the status; `code` becomes the code, or the compiler's log.
  CompilerStatus compile(const std::string& source, std::string& code,
                         std::vector<const char*> options = {}) {
    options.insert(options.end(), {"--gpu-architecture=sm_90", "--fmad=false"});
    SourceProgram program = nullptr;
    expect(compiler.create(&program, source.c_str(), "test.cu", 0, nullptr, nullptr));
    const CompilerStatus status = compiler.compile(program, static_cast<int>(options.size()), options.data());
    size_t size = 0;
    expect(status == 0 ? compiler.code_size(program, &size) : compiler.log_size(program, &size));
    code.resize(size);
    expect(status == 0 ? compiler.code(program, code.data()) : compiler.log(program, code.data()));
    expect(compiler.release(&program));
    return status;
  }
  // Compiles a source, loads it, and returns its kernel `k`. The source uses the macro KERNEL.
  Function kernel(const std::string& source) {
    std::string code;
    if (compile("#define KERNEL(name) extern \"C\" __global__ void name\n" + source, code) != 0)
      throw std::runtime_error(code);
    Module module = nullptr;
    expect(driver.load_module(&module, code.data()));
    loaded.push_back(module);
    Function function = nullptr;
    expect(driver.find_function(&function, module, "k"));
    return function;
  }
  Address allocate(size_t bytes) {
    Address address = 0;
    expect(driver.allocate(&address, bytes));
    allocated.push_back(address);
    return address;
  }
  template <class T>
  Address upload(const std::vector<T>& values) {
    const Address address = allocate(values.size() * sizeof(T));
    expect(driver.copy_to_device(address, values.data(), values.size() * sizeof(T), nullptr));
    expect(driver.finish_stream(nullptr));
    return address;
  }
  template <class T = float>
  std::vector<T> download(Address from, size_t count) {
    std::vector<T> values(count);
    expect(driver.copy_to_host(values.data(), from, count * sizeof(T), nullptr));
    expect(driver.finish_stream(nullptr));
    return values;
  }
  template <class... P>
  Status launch(Function function, unsigned blocks, unsigned threads, Stream stream, P... parameters) {
    void* values[] = {&parameters..., nullptr};
    return driver.launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, values, nullptr);
  }
  // Returns the status after a kernel without parameters has run.
  Status run(const std::string& source, unsigned threads) {
    expect(launch(kernel(source), 1, threads, nullptr));
    return driver.finish_stream(nullptr);
  }

  DriverApi driver;
  CompilerApi compiler;
  void (*set_seed)(unsigned long long) = nullptr;
  DeviceId device = 0;
  Context context = nullptr;
  std::vector<Address> allocated;
  std::vector<Module> loaded;
};

// Replaces a line of a source by an empty one.
inline std::string without(std::string source, const std::string& line) {
  const size_t at = source.find(line);
  if (at == std::string::npos) throw std::runtime_error("the source has no such line");
  return source.erase(at, line.size());
}

}  // namespace cutset::cuda::doubles
