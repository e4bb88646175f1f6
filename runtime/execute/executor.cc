// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/executor.h"

#include "runtime/communicate/shared_memory.h"
#include "runtime/device/pinned_source.h"

namespace cutset {

Result<std::unique_ptr<Executor>> Executor::open(const DeviceList& list, Clock& clock) {
  CUTSET_ASSIGN(auto devices, Devices::open(list));
  CUTSET_ASSIGN(auto workers, Workers::start(devices->queues()));
  auto transport = std::make_unique<SharedMemory>(clock);
  return std::unique_ptr<Executor>(
      new Executor(std::move(devices), std::move(transport), std::move(workers), clock));
}

Result<CopyAhead*> Executor::copy_ahead() {
  if (!copy_ahead_) {
    CUTSET_ASSIGN(copy_ahead_, CopyAhead::start(*devices_));
  }
  return copy_ahead_.get();
}

Result<std::shared_ptr<HostPool>> Executor::pinned_memory() {
  if (pinned_) return pinned_;
  std::unique_ptr<HostPool::Source> source;
  for (size_t d = 0; d < devices_->size() && !source; ++d) {
    if (!devices_->device(d).api().memory) continue;
    CUTSET_ASSIGN(source, PinnedSource::open(devices_->device(d).shared_description()));
  }
  return pinned_ = std::make_shared<HostPool>(HostPool::most_kept_bytes(), std::move(source));
}

Status Executor::begin_epoch() {
  if (copy_ahead_ && health_.failed()) copy_ahead_->wait();
  return health_.begin_epoch();
}

}  // namespace cutset
