// SPDX-License-Identifier: Apache-2.0
// The open devices of a session, each with an arena and with the queues on which programs run.
//
// The queues of all devices are numbered: queue q of device d has the number d * kQueues + q.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/open_device.h"
#include "runtime/execute/arena.h"
#include "runtime/program/program.h"

namespace cutset {

// Only the one host thread that uses the session may call the functions that are not const. Any thread may
// call the others.
class Devices {
 public:
  // Opens the devices. Fails if one of them cannot be opened.
  static Result<std::unique_ptr<Devices>> open(const DeviceList& devices);

  size_t size() const { return devices_.size(); }
  OpenDevice& device(size_t i) { return *devices_[i]; }
  const OpenDevice& device(size_t i) const { return *devices_[i]; }
  Arena& arena(size_t device) { return *arenas_[device]; }
  size_t queues() const { return queues_.size(); }
  // Returns the queue with this number. Only one thread at a time may use a queue.
  cutset_queue queue(size_t number) const { return queues_[number]; }
  cutset_queue queue(size_t device, Queue q) const {
    return queues_[device * kQueues + static_cast<size_t>(q)];
  }
  // Returns the index of the device with this name, or kNone if it is not open.
  int index_of(const std::string& device) const;
  std::string name(size_t device) const { return devices_[device]->description().name(); }

 private:
  Devices() = default;
  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<std::unique_ptr<Arena>> arenas_;  // by device
  std::vector<cutset_queue> queues_;
};

}  // namespace cutset
