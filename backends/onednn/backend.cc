// SPDX-License-Identifier: Apache-2.0
// The backend of the devices cpu:N: oneDNN on the host's cores. Each device has its own number of threads.
//
// Three kinds of kernels are tried in this order: kernels that oneDNN computes, or that kernels/ implements
// (docs/decisions/0049-kernels-of-our-own-on-cpu.md); reference kernels on all threads of the device
// (parallel_loop.h); and reference kernels on one thread.
#include <cstdio>
#include <dnnl.hpp>

#include "backends/onednn/parallel_loop.h"
#include "runtime/abi/host_device.h"
#include "runtime/abi/kernel.h"
#include "runtime/abi/reference_kernel.h"

namespace cutset::onednn {

#define KERNELS(name) void register_##name(abi::KernelTable&);
#include "backends/onednn/kernel_list.inc"
#undef KERNELS

static const abi::KernelTable& table() {
  static const abi::KernelTable* kernels = [] {
    auto* t = new abi::KernelTable;
#define KERNELS(name) register_##name(*t);
#include "backends/onednn/kernel_list.inc"
#undef KERNELS
    add_parallel_loops(*t);
    t->add(abi::reference_kernels());
    return t;
  }();
  return *kernels;
}

// The speeds are estimates for a typical core. Arithmetic and memory speeds grow with the number of threads.
static const cutset_error* describe(cutset_device_info* info) {
  const int threads = info->threads > 0 ? info->threads : 1;
  info->threads = threads;
  info->flops_per_second = 50e9 * threads;
  info->bytes_per_second = 8e9 * threads;
  info->link_bytes_per_second = 8e9;
  info->link_seconds = 2e-6;
  info->launch_seconds = 3e-6;
  info->alignment = abi::kHostAlignment;
  const dnnl_version_t* v = dnnl_version();
  std::snprintf(info->description, sizeof info->description, "oneDNN %d.%d.%d, %d thread%s", v->major,
                v->minor, v->patch, threads, threads > 1 ? "s" : "");
  return nullptr;
}
static const cutset_error* available(const cutset_device_info*) { return nullptr; }

}  // namespace cutset::onednn

extern "C" __attribute__((visibility("default"))) const cutset_backend* cutset_backend_open(uint32_t abi) {
  using namespace cutset;
  static const cutset_backend backend =
      abi::host_backend("onednn", "cpu", onednn::table().kernels(), onednn::describe, onednn::available);
  return abi == CUTSET_DEVICE_ABI ? &backend : nullptr;
}
