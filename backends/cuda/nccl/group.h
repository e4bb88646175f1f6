// SPDX-License-Identifier: Apache-2.0
// Devices of this backend that communicate without the host: sums by NCCL, and messages.
//
// The thread of the last member that arrives at a sum issues it for all members. The queues of the earlier
// members are held until then (queue.h). The host may therefore enqueue the commands of the members from one
// thread, one member after the other, or from several threads. The calls of a member are numbered when they
// are made, and the number says which sum a call belongs to. A member may therefore be several sums ahead of
// the others and may use several queues.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "backends/cuda/nccl/communicators.h"
#include "backends/cuda/nccl/messages.h"
#include "ir/core/types.h"

namespace cutset::cuda {

class Group : public Watched, public std::enable_shared_from_this<Group> {
 public:
  // Throws abi::Exception with CUTSET_UNSUPPORTED and the reason if the devices cannot form a group.
  explicit Group(const std::vector<Device*>& members);

  // Append a member's commands to its queue. Throw abi::Exception if an argument is wrong, if the queue
  // records a capture, or if the group has failed or was abandoned.
  void all_reduce(Queue& queue, size_t member, const cutset_slice& from, const cutset_slice& to,
                  int32_t dtype);
  void send(Queue& queue, size_t member, size_t peer, const cutset_slice& from);
  void receive(Queue& queue, size_t member, size_t peer, const cutset_slice& to);

  bool contains(const Device& device) const;
  // Aborts the work of NCCL and ends all holds with CUTSET_ABANDONED. The group cannot be used afterwards.
  void abandon();
  void check() override { communicators_.check(); }

 private:
  struct Part {  // the part of one member in a sum
    Queue* queue;
    Address from, to;
    uint64_t bytes;
    DType dtype;
    Stream stream;
  };
  struct Round {
    std::vector<std::optional<Part>> parts;  // by member
    size_t arrived = 0;
  };
  void check_member(const Queue& queue, size_t member, const char* function) const;
  void refuse_abandoned() const;
  void arrive(uint64_t number, size_t member, const Part& part);
  void issue(uint64_t number, const Round& round);
  // Ends the holds of the queues that wait in a round with an error. Leaves out the queue of member `except`.
  static void fail(const Round& round, const abi::Exception& error, size_t except);

  const std::vector<Device*> members_;
  Communicators communicators_;
  // guarded by Queue::lock()
  Messages messages_;
  bool abandoned_ = false;
  std::vector<uint64_t> sums_of_;     // by member: the number of sums that it has enqueued
  std::map<uint64_t, Round> rounds_;  // the sums for which members are missing
};

}  // namespace cutset::cuda
