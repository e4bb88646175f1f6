// SPDX-License-Identifier: Apache-2.0
// The transport between the devices of one process. Links and groups use host memory, so the devices may be
// of different kinds.
#pragma once
#include <unordered_set>

#include "runtime/communicate/transport.h"

namespace cutset {

class SharedMemory final : public Transport {
 public:
  // The clock must outlive the object.
  explicit SharedMemory(Clock& clock = Clock::real()) : clock_(clock) {}

  std::unique_ptr<Link> link(std::vector<Slot> slots) override;
  Result<std::unique_ptr<Group>> group(const Collective& collective, std::string name,
                                       std::vector<Partial> partials) override;
  uint64_t epoch() const override;
  void end_epoch(const std::string& why) noexcept override;
  void begin_epoch() override;
  Clock& clock() const { return clock_; }

  // The base of links and groups: a lock, and a condition on which threads wait in an epoch. The constructor
  // registers the object with the transport, and the destructor removes it from the transport.
  class Member {
   public:
    explicit Member(SharedMemory& transport);
    Member(const Member&) = delete;

   protected:
    ~Member();
    // Blocks until `holds()` is true. Fails at the deadline and when the epoch ends. The caller holds `lock`,
    // which locks mutex_. `describe()` names the message or sum that the caller waits for; errors begin with
    // its text.
    template <class Predicate, class Describe>
    Status await(std::unique_lock<std::mutex>& lock, Clock::Time deadline, Predicate&& holds,
                 Describe&& describe) {
      if (holds()) return {};
      const Clock::Time start = transport_.clock().now();
      const bool in_time =
          transport_.clock().wait(changed_, lock, deadline, [&] { return holds() || why_ended_; });
      if (holds()) return {};
      if (!in_time) return late(describe(), transport_.clock().now() - start);
      return execution_failed("abandoned: " + describe() +
                              " has not come, because the step has failed: " + *why_ended_);
    }
    // Whether a message with this header belongs to the current epoch. The caller holds mutex_.
    bool is_current(const MessageHeader& header) const { return header.epoch == epoch_ && !why_ended_; }

    std::mutex mutex_;
    std::condition_variable changed_;

   private:
    friend class SharedMemory;
    // Drops what was sent and not received. The caller holds mutex_.
    virtual void clear() = 0;
    static Failure late(const std::string& what, Clock::Time waited);

    SharedMemory& transport_;
    uint64_t epoch_;
    const std::string* why_ended_ = nullptr;  // null: the epoch has not ended
  };

 private:
  Clock& clock_;
  mutable std::mutex
      mutex_;  // guards the members below; a thread that holds it may lock a member, and not vice versa
  uint64_t epoch_ = 1;
  const std::string* why_ended_ = nullptr;
  std::unordered_set<Member*> members_;
};

}  // namespace cutset
