// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/shared_link.h"

#include <new>
#include <utility>

#include "ir/core/scope_exit.h"

namespace cutset {

SharedLink::SharedLink(SharedMemory& transport, std::vector<Transport::Slot> slots)
    : Member(transport), slots_(std::move(slots)), messages_(slots_.size()) {}

void SharedLink::post(size_t slot, const MessageHeader& header) {
  std::unique_lock lock(mutex_);
  if (!is_current(header)) return;
  Message& message = messages_[slot];
  message.header = header;
  message.full = true;
  if (message.arrived && header == *message.expected) {
    // Without the lock, because the call may block, and the end of an epoch must not wait for it.
    message.arriving = true;
    lock.unlock();
    std::optional<Status> status;
    try {
      status = (*message.arrived)();
    } catch (const std::bad_alloc&) {
      // The receiver calls again, and gets the exception on its own thread.
    }
    lock.lock();
    message.arriving = false;
    message.status = std::move(status);
  }
  changed_.notify_all();
}

Status SharedLink::take(size_t slot, const MessageHeader& expected, Clock::Time deadline,
                        const std::function<Status()>& arrived) {
  std::unique_lock lock(mutex_);
  Message& message = messages_[slot];
  message.status.reset();
  const Status come = [&] {
    // post() uses the arguments of the caller until this object is destroyed, even if await() throws
    // std::bad_alloc.
    const ScopeExit forget([&] {
      changed_.wait(lock, [&] { return !message.arriving; });
      message.expected = nullptr;
      message.arrived = nullptr;
    });
    message.expected = &expected;
    message.arrived = &arrived;
    return await(
        lock, deadline, [&] { return message.full && !message.arriving; },
        [&] {
          return "the message of " + slots_[slot].name + ", step " + std::to_string(expected.step) + ",";
        });
  }();
  if (message.status) {
    message.full = false;
    return *std::exchange(message.status, {});
  }
  CUTSET_TRY(come);
  message.full = false;
  if (message.header != expected)
    return execution_failed("a message of " + to_string(message.header) + " arrived where " +
                            to_string(expected) + " was expected on " + slots_[slot].name);
  lock.unlock();
  return arrived();
}

void SharedLink::clear() {
  for (Message& m : messages_) m.full = false;
}

}  // namespace cutset
