#include "backends/cuda/blas/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "backends/cuda/library.h"

namespace cutset::cuda {
namespace {

struct Opened {
  bool ok = false;
  BlasApi api = {};
  std::string why = {};  // if the library cannot be used
};
Opened refuse(std::string why) { return {.why = std::move(why)}; }

Opened open() {
  if (is_set("CUTSET_CUDA_NO_BLAS")) return refuse("the environment variable CUTSET_CUDA_NO_BLAS is set");
  std::vector<const char*> files;
  if (const char* given = std::getenv("CUTSET_CUDA_BLAS")) {
    files = {given};
  } else {
    if (!is_usual_driver()) return refuse("cuBLASLt uses the driver libcuda.so.1, and the backend uses another file");
    int version = 0;
    CUTSET_CUDA(driver_version, &version);
    if (version >= 13000) files.push_back("libcublasLt.so.13");
    files.push_back("libcublasLt.so.12");
  }
  void* library = nullptr;
  std::string why;
  for (const char* file : files) {
    if ((library = dlopen(file, RTLD_NOW | RTLD_LOCAL))) break;
    why = dlerror();
  }
  if (!library)
    return refuse(why +
                  " (install cuBLAS of CUDA 12 or 13, for example the package nvidia-cublas of PyPI, and add its "
                  "folder to LD_LIBRARY_PATH)");

  Opened opened;
  BlasApi& api = opened.api;
#define CUTSET_CUDA_FIND(result, member, symbol, parameters)                    \
  api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, #symbol)); \
  if (!api.member) return refuse("cuBLASLt has no function " #symbol " (install a newer version)");
  CUTSET_CUDA_BLAS_FUNCTIONS(CUTSET_CUDA_FIND)
#undef CUTSET_CUDA_FIND
  if (const size_t version = api.version(); version < kOldestBlas)
    return refuse("cuBLASLt " + library_version_text(version) + " is older than " + library_version_text(kOldestBlas) +
                  " (update cuBLAS)");
  opened.ok = true;
  return opened;
}

}  // namespace

const BlasApi* open_blas(std::string* why) {
  static const Opened opened = open();
  *why = opened.why;
  return opened.ok ? &opened.api : nullptr;
}

std::string blas_version() {
  std::string why;
  const BlasApi* api = open_blas(&why);
  return api ? ", cuBLASLt " + library_version_text(api->version()) : "";
}

}  // namespace cutset::cuda
