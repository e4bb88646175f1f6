#include "runtime/communicate/shared_link.h"

namespace cutset {

SharedLink::SharedLink(SharedMemory& transport, std::vector<Transport::Slot> slots)
    : Member(transport), slots_(std::move(slots)), messages_(slots_.size()) {}

void SharedLink::post(size_t slot, const MessageHeader& header) {
  std::lock_guard lock(mutex_);
  if (!is_current(header)) return;
  messages_[slot] = {header, true};
  changed_.notify_all();
}

Status SharedLink::take(size_t slot, const MessageHeader& expected, Clock::Time deadline) {
  std::unique_lock lock(mutex_);
  Message& message = messages_[slot];
  CUTSET_TRY(await(
      lock, deadline, [&] { return message.full; },
      [&] { return "the message of " + slots_[slot].name + ", step " + std::to_string(expected.step) + ","; }));
  message.full = false;
  if (message.header != expected)
    return execution_failed("a message of " + to_string(message.header) + " arrived where " + to_string(expected) +
                            " was expected on " + slots_[slot].name);
  return {};
}

void SharedLink::clear() {
  for (Message& m : messages_) m.full = false;
}

}  // namespace cutset
