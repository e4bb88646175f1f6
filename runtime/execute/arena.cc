// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/arena.h"

namespace cutset {

Result<cutset_buffer> Arena::enter(Tenant& tenant, uint64_t bytes) {
  // The old arena is released before the new one is allocated, because a device may not have room for both.
  if (bytes > bytes_)
    for (Tenant* other : std::set(tenants_)) other->leave();
  tenants_.insert(
      &tenant);  // before the arena is allocated, so that no exception leaves an arena without a tenant
  if (!buffer_) {
    CUTSET_ASSIGN(buffer_, memory_.allocate(bytes));
    bytes_ = bytes;
  }
  return buffer_;
}

void Arena::leave(Tenant& tenant) {
  if (tenants_.erase(&tenant) == 0 || !tenants_.empty()) return;
  memory_.take_back({});
  buffer_ = nullptr;
  bytes_ = 0;
}

}  // namespace cutset
