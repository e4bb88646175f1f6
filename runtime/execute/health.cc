// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/health.h"

namespace cutset {

bool Health::failed() const {
  std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

Status Health::healthy() const {
  std::lock_guard lock(mutex_);
  return error_ ? Status(*error_) : Status();
}

void Health::fail_without_memory() noexcept {
  std::lock_guard lock(mutex_);
  end_epoch(out_of_memory_);
}

void Health::fail(Failure error) {
  std::lock_guard lock(mutex_);
  if (error_) return;  // later failures are consequences of the first one
  described_ = std::move(error);
  end_epoch(described_);
}

void Health::end_epoch(const Failure& error) noexcept {
  if (error_) return;
  error_ = &error;
  for (size_t d = 0; d < devices_.size(); ++d) devices_.device(d).abandon();
  transport_.end_epoch(error_->what);
}

Status Health::begin_epoch() {
  if (torn_) return *torn_;
  std::lock_guard lock(mutex_);
  if (!error_) return {};
  if (final_) return *error_;
  for (size_t d = 0; d < devices_.size(); ++d) {
    devices_.device(d).drain();
    const Status resumed = devices_.device(d).resume();
    if (resumed.ok()) continue;
    Failure last = *error_;
    last.what += ". This session runs no further step, because " + resumed.error().what;
    last.hint = "save the variables, then load them, or start a new session";
    described_ = std::move(last);
    error_ = &described_;
    final_ = true;
    return *error_;
  }
  transport_.begin_epoch();
  error_ = nullptr;
  return {};
}

void Health::tear_without_memory() noexcept {
  if (!torn_) torn_.emplace(std::move(torn_out_of_memory_));
}

}  // namespace cutset
