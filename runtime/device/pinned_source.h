// SPDX-License-Identifier: Apache-2.0
// Pinned memory as the source of a pool: memory of the host from and to which a device copies fastest.
#pragma once
#include <sys/types.h>

#include "runtime/device/open_device.h"
#include "runtime/files/host_pool.h"

namespace cutset {

// Allocates through the table `memory` of a backend. The source opens the device once more for itself. Its
// memory therefore stays valid as long as it is used, even if the session that asked for it has ended, or has
// opened its devices again after a failure. The source belongs to the process that opened it: in a child that
// fork() made, it provides no memory and frees none, because drivers do not work there.
class PinnedSource final : public HostPool::Source {
 public:
  // Fails if the device cannot be opened. Its backend must have the table `memory`.
  static Result<std::unique_ptr<HostPool::Source>> open(std::shared_ptr<const DeviceDescription> description);
  ~PinnedSource() override;
  PinnedSource(const PinnedSource&) = delete;

  void* allocate(size_t bytes) noexcept override;
  void free(void* memory) noexcept override;

 private:
  explicit PinnedSource(std::unique_ptr<OpenDevice> device);
  bool in_own_process() const;

  std::unique_ptr<OpenDevice> device_;
  const pid_t process_;
};

}  // namespace cutset
