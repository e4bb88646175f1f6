#include "runtime/execute/executor.h"

#include "runtime/communicate/shared_memory.h"

namespace cutset {

Result<std::unique_ptr<Executor>> Executor::open(const DeviceList& list, Clock& clock) {
  CUTSET_ASSIGN(auto devices, Devices::open(list));
  CUTSET_ASSIGN(auto workers, Workers::start(devices->queues()));
  auto transport = std::make_unique<SharedMemory>(clock);
  return std::unique_ptr<Executor>(new Executor(std::move(devices), std::move(transport), std::move(workers), clock));
}

Result<CopyAhead*> Executor::copy_ahead() {
  if (!copy_ahead_) {
    CUTSET_ASSIGN(copy_ahead_, CopyAhead::start(*devices_));
  }
  return copy_ahead_.get();
}

Status Executor::begin_epoch() {
  if (copy_ahead_ && health_.failed()) copy_ahead_->wait();
  return health_.begin_epoch();
}

}  // namespace cutset
