// SPDX-License-Identifier: Apache-2.0
// The devices of a program as a grid.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cutset {

// The axes are the replicas of the batch, the positions in the pipeline of a replica, and the devices of a
// tensor axis. The devices of a program are listed in this order: the number on the tensor axis changes
// fastest. A copy of the graph is what one replica computes on one number of the tensor axis; copy c belongs
// to replica c / tensor.
struct DeviceGrid {
  size_t devices = 1;  // their number, a multiple of `copies`
  size_t copies = 1;   // the number of copies, a multiple of `tensor`
  size_t tensor = 1;   // the number of devices of the tensor axis

  // Returns the number of devices on which a copy runs.
  size_t per_copy() const { return devices / copies; }
  size_t device(int64_t copy, size_t position) const {
    const auto c = static_cast<size_t>(copy);
    return (c / tensor * per_copy() + position) * tensor + c % tensor;
  }
  int64_t copy_of(size_t device) const {
    return static_cast<int64_t>(device / (per_copy() * tensor) * tensor + device % tensor);
  }
  size_t position_of(size_t device) const { return device / tensor % per_copy(); }
  int64_t replica_of(int64_t copy) const { return copy / static_cast<int64_t>(tensor); }
};

}  // namespace cutset
