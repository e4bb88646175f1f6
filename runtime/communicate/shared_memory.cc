// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/shared_memory.h"

#include <cstdio>

#include "runtime/communicate/shared_group.h"
#include "runtime/communicate/shared_link.h"

namespace cutset {

SharedMemory::Member::Member(SharedMemory& transport) : transport_(transport) {
  std::lock_guard lock(transport.mutex_);
  epoch_ = transport.epoch_;
  why_ended_ = transport.why_ended_;
  transport.members_.insert(this);
}

SharedMemory::Member::~Member() {
  std::lock_guard lock(transport_.mutex_);
  transport_.members_.erase(this);
}

Failure SharedMemory::Member::late(const std::string& what, Clock::Time waited) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", std::chrono::duration<double>(waited).count());
  return execution_failed(what + " has not come within " + seconds,
                          "a device hangs, or its step takes longer than a transfer may wait");
}

std::unique_ptr<Link> SharedMemory::link(std::vector<Slot> slots) {
  return std::make_unique<SharedLink>(*this, std::move(slots));
}

Result<std::unique_ptr<Group>> SharedMemory::group(const Collective& collective, std::string name,
                                                   std::vector<Partial> partials) {
  return SharedGroup::make(*this, collective, std::move(name), std::move(partials));
}

uint64_t SharedMemory::epoch() const {
  std::lock_guard lock(mutex_);
  return epoch_;
}

void SharedMemory::end_epoch(const std::string& why) noexcept {
  std::lock_guard lock(mutex_);
  if (why_ended_) return;
  why_ended_ = &why;
  for (Member* m : members_) {
    std::lock_guard held(m->mutex_);
    m->why_ended_ = &why;
    m->changed_.notify_all();
  }
}

void SharedMemory::begin_epoch() {
  std::lock_guard lock(mutex_);
  ++epoch_;
  why_ended_ = nullptr;
  for (Member* m : members_) {
    std::lock_guard held(m->mutex_);
    m->epoch_ = epoch_;
    m->why_ended_ = nullptr;
    m->clear();
  }
}

}  // namespace cutset
