// SPDX-License-Identifier: Apache-2.0
// A link between two devices of one process. The receiver reads the host memory that the sender has written.
#pragma once
#include <optional>

#include "runtime/communicate/shared_memory.h"

namespace cutset {

class SharedLink final : public Link, private SharedMemory::Member {
 public:
  SharedLink(SharedMemory& transport, std::vector<Transport::Slot> slots);

  void* staging(size_t slot) override { return slots_[slot].staging; }
  void post(size_t slot, const MessageHeader& header) override;
  Status take(size_t slot, const MessageHeader& expected, Clock::Time deadline,
              const std::function<Status()>& arrived) override;

 private:
  void clear() override;

  struct Message {
    MessageHeader header;
    bool full = false;
    // The header that the thread which is blocked in take() expects; null if no thread is blocked.
    const MessageHeader* expected = nullptr;
    const std::function<Status()>* arrived = nullptr;
    bool arriving = false;         // post() calls `arrived`, without the lock
    std::optional<Status> status;  // what `arrived` has returned to post()
  };
  const std::vector<Transport::Slot> slots_;
  std::vector<Message> messages_;  // by slot
};

}  // namespace cutset
