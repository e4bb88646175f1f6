// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/landing.h"

#include <utility>

namespace cutset {

bool Landing::wait() {
  if (!by_) return false;
  std::unique_lock lock(by_->mutex_);
  by_->changed_.wait(lock, [&] { return !filling_; });
  return full_;
}

void Landing::release() {
  wait();
  by_ = nullptr;
  full_ = false;
}

// Does not use the landing after it has been filled, because another thread may then destroy the landing.
void Landing::run(size_t) noexcept {
  CopyAhead& by = *by_;
  const bool copied = by.copy(*this);
  std::lock_guard lock(by.mutex_);
  full_ = copied;
  filling_ = false;
  by.failed_ = by.failed_ || !copied;
  --by.filling_;
  by.changed_.notify_all();
}

Result<std::unique_ptr<CopyAhead>> CopyAhead::start(Devices& devices) {
  std::unique_ptr<CopyAhead> made(new CopyAhead(devices));
  made->queues_.resize(devices.size());
  for (size_t d = 0; d < devices.size(); ++d) {
    if (!lands(devices.device(d))) continue;
    CUTSET_ASSIGN(made->queues_[d], devices.device(d).side_queue());
  }
  CUTSET_ASSIGN(made->worker_, Workers::start(1));
  return made;
}

void CopyAhead::fill(Landing& landing, std::vector<const void*> from) {
  landing.wait();
  landing.from_ = std::move(from);
  {
    std::lock_guard lock(mutex_);
    landing.by_ = this;
    landing.full_ = false;
    landing.filling_ = true;
    ++filling_;
  }
  worker_->push(0, landing);
}

void CopyAhead::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return filling_ == 0; });
}

void CopyAhead::settle() {
  wait();
  if (!std::exchange(failed_, false)) return;
  for (size_t d = 0; d < devices_.size(); ++d) devices_.device(d).drain();
}

bool CopyAhead::copy(const Landing& landing) {
  // An earlier failure of another queue may have left an error, which does not concern this copy.
  for (size_t d = 0; d < queues_.size(); ++d) finish(d);
  bool copied = true;
  for (size_t i = 0; i < landing.parts_.size() && copied; ++i) {
    const Landing::Part& part = landing.parts_[i];
    copied = !devices_.device(part.device).api().write(queues_[part.device], &part.slice, landing.from_[i]);
  }
  for (size_t d = 0; d < queues_.size(); ++d) copied = finish(d) && copied;
  return copied;
}

bool CopyAhead::finish(size_t device) {
  return !queues_[device] || !devices_.device(device).api().finish(queues_[device]);
}

}  // namespace cutset
