// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/nccl/library.h"

#include "backends/cuda/library.h"

namespace cutset::cuda {
namespace {

struct Opened {
  NcclApi api = {};
  std::string why = {};  // the reason if the library cannot be used
};

Opened open() {
  const OptionalLibrary library = {
      .name = "NCCL",
      .file_variable = "CUTSET_CUDA_NCCL",
      .off_variable = "CUTSET_CUDA_NO_NCCL",
      .files = {"libnccl.so.2"},
      .advice =
          "install NCCL for the CUDA version of the driver, for example the package nvidia-nccl-cu13 or "
          "nvidia-nccl-cu12 of PyPI, and add its folder to LD_LIBRARY_PATH"};
  Opened opened;
  opened.why = load_optional(library, opened.api);
  if (!opened.why.empty()) return opened;
  int version = 0;
  if (opened.api.version(&version) != NcclStatus::kSuccess)
    opened.why = "NCCL cannot tell its version (install it again)";
  else if (version < kOldestNccl)
    opened.why = "NCCL " + library_version_text(static_cast<size_t>(version)) + " is older than " +
                 library_version_text(kOldestNccl) + " (update NCCL)";
  return opened;
}

}  // namespace

const NcclApi* open_nccl(std::string* why) {
  static const Opened opened = open();
  *why = opened.why;
  return opened.why.empty() ? &opened.api : nullptr;
}

}  // namespace cutset::cuda
