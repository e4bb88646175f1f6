#include "runtime/execute/executor.h"

namespace cutset {

Result<std::unique_ptr<Executor>> Executor::open(const DeviceList& list) {
  CUTSET_ASSIGN(auto devices, Devices::open(list));
  CUTSET_ASSIGN(auto workers, Workers::start(devices->queues()));
  return std::unique_ptr<Executor>(new Executor(std::move(devices), std::move(workers)));
}

}  // namespace cutset
