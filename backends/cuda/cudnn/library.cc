// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "backends/cuda/library.h"
#include "runtime/abi/library_file.h"

namespace cutset::cuda {
namespace {

// Returns the path of libcutset_cuda_cudnn.so in the folder of the library that contains this function.
std::string default_file() {
  constexpr const char* kName = "libcutset_cuda_cudnn.so";
  Dl_info here;
  if (!dladdr(reinterpret_cast<void*>(&default_file), &here) || !here.dli_fname) return kName;
  const std::string path = here.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string("./") + kName : path.substr(0, slash + 1) + kName;
}

struct Opened {
  const PlanApi* api = nullptr;
  std::string why;  // the reason if `api` is null
};

Opened open() {
  if (is_set("CUTSET_CUDA_NO_CUDNN"))
    return {nullptr, "the environment variable CUTSET_CUDA_NO_CUDNN is set"};
  const char* other_file = std::getenv("CUTSET_CUDA_CUDNN_PLANS");
  const std::string file = other_file ? other_file : default_file();
  const char* const cudnn = std::getenv("CUTSET_CUDA_CUDNN");  // libcutset_cuda_cudnn.so opens it
  for (const std::string& opened : {file, std::string(cudnn ? cudnn : "")})
    if (std::string fault = abi::library_fault(opened); !fault.empty()) return {nullptr, std::move(fault)};
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return {nullptr, dlerror()};
  const auto open_api = reinterpret_cast<OpenPlans>(dlsym(library, kOpenPlans));
  if (!open_api) return {nullptr, std::string("the library has no function ") + kOpenPlans};
  const PlanApi* api = nullptr;
  if (const char* why = open_api(&api)) return {nullptr, why};
  if (api->size != sizeof(PlanApi))
    return {nullptr,
            "libcutset_cuda_cudnn.so belongs to another version of the backend (install both together)"};
  if (const uint64_t version = api->version(); version < kOldestCudnn)
    return {nullptr, "cuDNN " + library_version_text(version) + " is older than " +
                         library_version_text(kOldestCudnn) + " (update cuDNN)"};
  return {api, ""};
}

}  // namespace

const PlanApi* open_plans(std::string* why) {
  static const Opened opened = open();
  *why = opened.why;
  return opened.api;
}

const PlanApi* open_plans_for_gpus(std::string* why) {
  static const bool is_usable = std::getenv("CUTSET_CUDA_CUDNN_PLANS") || is_usual_driver();
  if (is_usable) return open_plans(why);
  *why = "cuDNN uses the driver libcuda.so.1, and the backend uses another file";
  return nullptr;
}

}  // namespace cutset::cuda
