// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/blas/library.h"

#include "backends/cuda/library.h"

namespace cutset::cuda {
namespace {

struct Opened {
  BlasApi api = {};
  std::string why = {};  // the reason if the library cannot be used
};

Opened open() {
  OptionalLibrary library = {
      .name = "cuBLASLt",
      .file_variable = "CUTSET_CUDA_BLAS",
      .off_variable = "CUTSET_CUDA_NO_BLAS",
      .files = {"libcublasLt.so.12"},
      .advice =
          "install cuBLAS of CUDA 12 or 13, for example the package nvidia-cublas of PyPI, and "
          "add its folder to LD_LIBRARY_PATH"};
  int version = 0;
  CUTSET_CUDA(driver_version, &version);
  if (version >= 13000) library.files.insert(library.files.begin(), "libcublasLt.so.13");
  Opened opened;
  opened.why = load_optional(library, opened.api);
  if (!opened.why.empty()) return opened;
  if (const size_t found = opened.api.version(); found < kOldestBlas)
    opened.why = "cuBLASLt " + library_version_text(found) + " is older than " +
                 library_version_text(kOldestBlas) + " (update cuBLAS)";
  return opened;
}

}  // namespace

const BlasApi* open_blas(std::string* why) {
  static const Opened opened = open();
  *why = opened.why;
  return opened.why.empty() ? &opened.api : nullptr;
}

std::string blas_version() {
  std::string why;
  const BlasApi* api = open_blas(&why);
  return api ? ", cuBLASLt " + library_version_text(api->version()) : "";
}

}  // namespace cutset::cuda
