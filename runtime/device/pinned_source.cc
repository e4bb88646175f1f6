// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/pinned_source.h"

#include <unistd.h>

namespace cutset {

PinnedSource::PinnedSource(std::unique_ptr<OpenDevice> device)
    : device_(std::move(device)), process_(getpid()) {}

Result<std::unique_ptr<HostPool::Source>> PinnedSource::open(
    std::shared_ptr<const DeviceDescription> description) {
  CUTSET_ASSIGN(auto device, OpenDevice::open(std::move(description)));
  return std::unique_ptr<HostPool::Source>(new PinnedSource(std::move(device)));
}

// Does not close the device in a child: its memory stays allocated, like everything else that the parent has
// made.
PinnedSource::~PinnedSource() {
  if (!in_own_process()) (void)device_.release();
}

bool PinnedSource::in_own_process() const { return process_ == getpid(); }

void* PinnedSource::allocate(size_t bytes) noexcept {
  void* memory = nullptr;
  if (!in_own_process()) return nullptr;
  // The pool takes ordinary memory instead, so the text of the error is of no use.
  const cutset_error* error = device_->api().memory->allocate_host(device_->handle(), bytes, &memory);
  return error ? nullptr : memory;
}

void PinnedSource::free(void* memory) noexcept {
  if (in_own_process()) device_->api().memory->free_host(device_->handle(), memory);
}

}  // namespace cutset
