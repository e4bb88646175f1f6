// SPDX-License-Identifier: Apache-2.0
// Objects of a library that all plans of a device share, such as a handle of cuBLASLt.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "backends/cuda/device.h"

namespace cutset::cuda {

// Holds one T per device as long as a plan uses it. Any thread may call it.
template <class T>
class SharedByDevice {
 public:
  // Returns the object of the device, which `make()` creates if there is none. `make` returns a
  // std::shared_ptr<T> and may throw.
  template <class Make>
  std::shared_ptr<T> get(const Device& device, Make&& make) {
    std::lock_guard lock(mutex_);
    std::erase_if(all_, [](const auto& entry) { return entry.second.expired(); });
    if (const auto found = all_.find(&device); found != all_.end())
      if (auto shared = found->second.lock()) return shared;
    std::shared_ptr<T> opened = make();
    all_[&device] = opened;
    return opened;
  }

 private:
  std::mutex mutex_;
  std::map<const Device*, std::weak_ptr<T>> all_;
};

}  // namespace cutset::cuda
