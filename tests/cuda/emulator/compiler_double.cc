// SPDX-License-Identifier: Apache-2.0
// A library that stands in for NVRTC in tests. The "cubin" of a program is a shared library for the CPU,
// which only the driver double can load. host_compiler.h makes it.
//
// The version is 13.99, which NVIDIA will not release, so a cache of compiled code never mixes the two
// compilers. The options are checked as NVRTC checks them, but --fmad and --gpu-architecture have no effect:
// operations are never contracted. A function without __device__ is accepted. Headers of a program are
// refused.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/compiler_api.h"
#include "tests/cuda/emulator/host_compiler.h"

namespace cutset::cuda {

struct SourceProgram_t {
  std::string source, name, code, log;
};

namespace {

// nvrtcResult
constexpr CompilerStatus kDone = 0, kInvalidInput = 3, kInvalidProgram = 4, kInvalidOption = 5,
                         kCompilation = 6;

// The architectures of NVRTC 13.0.
constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

bool is_architecture(std::string_view name) {
  for (int a : kArchitectures) {
    const std::string number = std::to_string(a);
    if (name == "sm_" + number || name == "compute_" + number) return true;
    if (a >= 90 && (name == "sm_" + number + "a" || name == "compute_" + number + "a")) return true;
  }
  return false;
}

struct Options {
  std::vector<std::string> flags;  // the flags of the host's compiler
  bool to_cubin = true;            // false: for a virtual architecture NVRTC makes no cubin
};

// Returns the value of an option: the text after its name and the sign that follows. Returns an empty text if
// the option has another name.
std::string_view value_of(std::string_view option, std::string_view name) {
  if (option.substr(0, name.size()) != name || option.size() <= name.size() + 1 || option[name.size()] != '=')
    return "";
  return option.substr(name.size() + 1);
}

// Reads an option. Returns false if NVRTC does not know it.
bool read_option(std::string_view option, Options& to) {
  // NVRTC also accepts each long option with one hyphen.
  if (option.substr(0, 2) == "--") option.remove_prefix(1);
  for (std::string_view name : {"-gpu-architecture", "-arch"})
    if (const std::string_view value = value_of(option, name); !value.empty()) {
      to.to_cubin = value.substr(0, 3) == "sm_";
      return is_architecture(value);
    }
  if (const std::string_view value = value_of(option, "-std"); !value.empty()) {
    to.flags.push_back("-std=" + std::string(value));
    return value == "c++11" || value == "c++14" || value == "c++17" || value == "c++20";
  }
  for (std::string_view name : {"-fmad", "-ftz", "-prec-sqrt", "-prec-div", "-use_fast_math"})
    if (const std::string_view value = value_of(option, name); !value.empty())
      return value == "true" || value == "false";
  if (const std::string_view value = value_of(option, "-define-macro"); !value.empty()) {
    to.flags.push_back("-D" + std::string(value));
    return true;
  }
  if (option.size() > 2 && option.substr(0, 2) == "-D") {
    to.flags.emplace_back(option);
    return true;
  }
  for (std::string_view name : {"-maxrregcount", "-ptxas-options", "-diag-suppress"})
    if (!value_of(option, name).empty()) return true;
  for (std::string_view name : {"-default-device", "-device-as-default-execution-space", "-use_fast_math",
                                "-restrict", "-lineinfo", "-generate-line-info", "-device-debug", "-G", "-w",
                                "-disable-warnings", "-extra-device-vectorization"})
    if (option == name) return true;
  return false;
}

CompilerStatus compile(SourceProgram program, int count, const char* const* texts) {
  if (!program) return kInvalidProgram;
  if (count < 0 || (count > 0 && !texts)) return kInvalidInput;
  program->code.clear();
  program->log.clear();
  Options options;
  for (int i = 0; i < count; ++i)
    if (!texts[i] || !read_option(texts[i], options)) {
      program->log = std::string("nvrtc: error: invalid value or option: ") + (texts[i] ? texts[i] : "null");
      return kInvalidOption;
    }
  // The last -std option counts. NVRTC compiles for C++17 by default, and the language of the doubles needs
  // C++17.
  for (std::string& flag : options.flags)
    if (flag == "-std=c++11" || flag == "-std=c++14") flag = "-std=c++17";
  doubles::Compiled compiled = doubles::compile_for_host(program->source, program->name, options.flags);
  program->log = compiled.log;
  if (!compiled.succeeded) return kCompilation;
  if (options.to_cubin) program->code = std::move(compiled.library);
  return kDone;
}

}  // namespace

#define CUTSET_EXPORT extern "C" __attribute__((visibility("default"))) CompilerStatus

CUTSET_EXPORT nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return kInvalidInput;
  *major = 13;
  *minor = 99;
  return kDone;
}
CUTSET_EXPORT nvrtcCreateProgram(SourceProgram* program, const char* source, const char* name, int headers,
                                 const char* const*, const char* const*) {
  if (!program || !source || headers != 0) return kInvalidInput;
  *program = new SourceProgram_t{source, name ? name : "default_program", "", ""};
  return kDone;
}
CUTSET_EXPORT nvrtcCompileProgram(SourceProgram program, int options, const char* const* option) {
  return compile(program, options, option);
}
CUTSET_EXPORT nvrtcGetCUBINSize(SourceProgram program, size_t* bytes) {
  if (!program) return kInvalidProgram;
  if (!bytes) return kInvalidInput;
  *bytes = program->code.size();
  return kDone;
}
CUTSET_EXPORT nvrtcGetCUBIN(SourceProgram program, char* code) {
  if (!program) return kInvalidProgram;
  if (!code || program->code.empty()) return kInvalidInput;
  std::memcpy(code, program->code.data(), program->code.size());
  return kDone;
}
// The host compiler makes no assembly of a GPU, so the text, which ends with a NUL, is empty.
CUTSET_EXPORT nvrtcGetPTXSize(SourceProgram program, size_t* bytes) {
  if (!program) return kInvalidProgram;
  if (!bytes) return kInvalidInput;
  *bytes = 1;
  return kDone;
}
CUTSET_EXPORT nvrtcGetPTX(SourceProgram program, char* text) {
  if (!program) return kInvalidProgram;
  if (!text) return kInvalidInput;
  *text = '\0';
  return kDone;
}
// The size of the log contains the NUL at its end.
CUTSET_EXPORT nvrtcGetProgramLogSize(SourceProgram program, size_t* bytes) {
  if (!program) return kInvalidProgram;
  if (!bytes) return kInvalidInput;
  *bytes = program->log.size() + 1;
  return kDone;
}
CUTSET_EXPORT nvrtcGetProgramLog(SourceProgram program, char* log) {
  if (!program) return kInvalidProgram;
  if (!log) return kInvalidInput;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kDone;
}
CUTSET_EXPORT nvrtcDestroyProgram(SourceProgram* program) {
  if (!program || !*program) return kInvalidProgram;
  delete *program;
  *program = nullptr;
  return kDone;
}

}  // namespace cutset::cuda
