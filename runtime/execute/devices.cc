// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/devices.h"

namespace cutset {

Result<std::unique_ptr<Devices>> Devices::open(const DeviceList& list) {
  std::unique_ptr<Devices> all(new Devices);
  for (const auto& description : list) {
    CUTSET_ASSIGN(auto opened, OpenDevice::open(description));
    // `devices_` owns the device before its arena and its queues are made, so that they are released before
    // the device, even after an exception.
    OpenDevice& device = *all->devices_.emplace_back(std::move(opened));
    all->arenas_.push_back(std::make_unique<Arena>(device));
    for (int q = 0; q < kQueues; ++q) {
      CUTSET_ASSIGN(cutset_queue queue, device.queue());
      all->queues_.push_back(queue);
    }
  }
  return all;
}

int Devices::index_of(const std::string& device) const {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (name(i) == device) return static_cast<int>(i);
  return kNone;
}

}  // namespace cutset
