// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compile.h"

#include <vector>

#include "backends/cuda/code_cache.h"
#include "backends/cuda/library.h"
#include "runtime/abi/error.h"

namespace cutset::cuda {
namespace {

// Holds a program of the compiler. The destructor releases the program.
struct Program {
  SourceProgram handle = nullptr;
  explicit Program(const std::string& source) {
    check_compiler(compiler().create(&handle, source.c_str(), "cutset.cu", 0, nullptr, nullptr),
                   "nvrtcCreateProgram");
  }
  ~Program() { compiler().release(&handle); }
  Program(const Program&) = delete;

  std::string log() const {
    size_t size = 0;
    if (compiler().log_size(handle, &size) != 0 || size == 0) return "";
    std::string text(size, '\0');
    if (compiler().log(handle, text.data()) != 0) return "";
    text.resize(size - 1);  // without the NUL
    return text;
  }
};

}  // namespace

std::vector<std::string> compiler_options(const std::string& architecture) {
  return {"--gpu-architecture=" + architecture, "--std=c++17", "--fmad=false"};
}

std::string compile(const std::string& source, const std::string& architecture, bool again) {
  int major = 0, minor = 0;
  check_compiler(compiler().version(&major, &minor), "nvrtcVersion");
  std::vector<const char*> options;
  const std::vector<std::string> texts = compiler_options(architecture);
  for (const std::string& text : texts) options.push_back(text.c_str());
  std::string key = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  for (const char* o : options) key += std::string(" ") + o;
  key += "\n" + source;
  if (!again)
    if (auto cached = read_cached_code(key)) return *cached;

  const Program program(source);
  const CompilerStatus status =
      compiler().compile(program.handle, static_cast<int>(options.size()), options.data());
  if (status != 0)
    throw abi::Exception(CUTSET_FAILED, "NVRTC " + std::to_string(major) + "." + std::to_string(minor) +
                                            " cannot compile a kernel for " + architecture + " (error " +
                                            std::to_string(status) + "): " + program.log());
  size_t size = 0;
  check_compiler(compiler().code_size(program.handle, &size), "nvrtcGetCUBINSize");
  std::string code(size, '\0');
  check_compiler(compiler().code(program.handle, code.data()), "nvrtcGetCUBIN");
  keep_cached_code(key, code);
  return code;
}

}  // namespace cutset::cuda
