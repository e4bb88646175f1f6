#include "runtime/execute/health.h"

namespace cutset {

bool Health::failed() const {
  std::lock_guard lock(mutex_);
  return failed_;
}

Status Health::healthy() const {
  std::lock_guard lock(mutex_);
  return failed_ ? Status(error_) : Status();
}

Failure Health::no_memory() {
  return execution_failed(
      "a step failed, and the host has no memory to describe the failure; the variables are not usable",
      "load a checkpoint, or start a new session");
}

void Health::fail_without_memory() noexcept {
  std::lock_guard lock(mutex_);
  if (!torn_) torn_.emplace(std::move(torn_out_of_memory_));
  if (failed_) return;
  failed_ = true;
  error_ = std::move(out_of_memory_);
  abandon();
}

void Health::fail(Failure error) {
  std::lock_guard lock(mutex_);
  if (failed_) return;  // later failures are consequences of the first one
  failed_ = true;
  error_ = std::move(error);
  abandon();
}

void Health::abandon() {
  for (size_t d = 0; d < devices_.size(); ++d) devices_.device(d).abandon();
  transport_.end_epoch(error_.what);
}

}  // namespace cutset
