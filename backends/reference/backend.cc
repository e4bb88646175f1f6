// SPDX-License-Identifier: Apache-2.0
// The backend of the devices reference:N: the reference kernels of the op folders on one thread. Its results
// are correct by definition. The results of all other backends are compared with them.
#include <cstdio>

#include "runtime/abi/host_device.h"
#include "runtime/abi/reference_kernel.h"

namespace {

const cutset_error* describe(cutset_device_info* info) {
  info->threads = 1;
  info->flops_per_second = 3e9;
  info->bytes_per_second = 5e9;
  info->link_bytes_per_second = 5e9;
  info->link_seconds = 2e-6;
  info->launch_seconds = 1e-6;
  info->alignment = cutset::abi::kHostAlignment;
  std::snprintf(info->description, sizeof info->description,
                "reference kernels on one thread; they define the correct results");
  return nullptr;
}
const cutset_error* available(const cutset_device_info*) { return nullptr; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  static const cutset_backend backend = cutset::abi::host_backend(
      "reference", "reference", cutset::abi::reference_kernels(), describe, available);
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
