#include "backends/cuda/cudnn/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "backends/cuda/library.h"

namespace cutset::cuda {
namespace {

// "9.28.1" for 92801.
std::string text_of(uint64_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

// The file beside the one that contains this function.
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
  std::string why;  // if api is null
};

Opened open() {
  const char* off = std::getenv("CUTSET_CUDA_NO_CUDNN");
  if (off && std::string_view(off) != "0") return {nullptr, "the environment variable CUTSET_CUDA_NO_CUDNN is set"};
  const char* given = std::getenv("CUTSET_CUDA_CUDNN_PLANS");
  void* library = dlopen(given ? given : default_file().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return {nullptr, dlerror()};
  const auto open_api = reinterpret_cast<OpenPlans>(dlsym(library, kOpenPlans));
  if (!open_api) return {nullptr, std::string("the library has no function ") + kOpenPlans};
  const PlanApi* api = nullptr;
  if (const char* why = open_api(&api)) return {nullptr, why};
  if (api->size != sizeof(PlanApi))
    return {nullptr, "libcutset_cuda_cudnn.so belongs to another version of the backend (install both together)"};
  if (const uint64_t version = api->version(); version < kOldestCudnn)
    return {nullptr, "cuDNN " + text_of(version) + " is older than " + text_of(kOldestCudnn) + " (update cuDNN)"};
  return {api, ""};
}

}  // namespace

const PlanApi* open_plans(std::string* why) {
  static const Opened opened = open();
  *why = opened.why;
  return opened.api;
}

const PlanApi* open_plans_for_gpus(std::string* why) {
  static const bool same = is_usual_driver();
  if (same) return open_plans(why);
  *why = "cuDNN uses the driver libcuda.so.1, and the backend uses another file";
  return nullptr;
}

}  // namespace cutset::cuda
