#include "runtime/communicate/transport.h"

#include "ir/core/types.h"

namespace cutset {

std::string to_string(const MessageHeader& h) {
  return "program " + std::to_string(h.program) + ", channel " + std::to_string(h.channel) + ", step " +
         std::to_string(h.step) + ", " + std::to_string(h.bytes) + " bytes of " + name_of(static_cast<DType>(h.dtype));
}

void Mailbox::post(const MessageHeader& header) {
  std::lock_guard lock(mutex_);
  header_ = header;
  full_ = true;
  changed_.notify_one();
}

Status Mailbox::take(const MessageHeader& expected) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return full_ || abandoned_; });
  if (!full_) return execution_failed("abandoned: the step failed on another device or queue");
  full_ = false;
  if (header_ != expected)
    return execution_failed("a message of " + to_string(header_) + " arrived where " + to_string(expected) +
                            " was expected");
  return {};
}

void Mailbox::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace cutset
