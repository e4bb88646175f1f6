// SPDX-License-Identifier: Apache-2.0
// Devices of this backend that communicate without the host: sums over all members, and messages between two
// of them.
//
// A member's part of a sum consists of two commands. The first command copies the slice of the member into
// the round of the sum and never waits. The second command can run when all members have run the first. It
// adds the slices along the fixed binary tree of ir/core/sum_tree.h, so all members get the same bits.
// Members may be several rounds apart.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/simulated/device.h"
#include "ir/core/types.h"

namespace cutset::simulated {

class Group : public std::enable_shared_from_this<Group> {
 public:
  explicit Group(std::vector<Device*> members) : members_(std::move(members)), rounds_of_(members_.size()) {}

  // Append the member's commands to its queue. They throw abi::Exception if the arguments are wrong, or if
  // the queue records a capture. The commands keep the group alive.
  void all_reduce(Queue* queue, size_t member, const cutset_slice& from, const cutset_slice& to, DType dtype);
  void send(Queue* queue, size_t member, size_t peer, const cutset_slice& from);
  void receive(Queue* queue, size_t member, size_t peer, const cutset_slice& to);

 private:
  struct Round {
    std::vector<std::vector<unsigned char>> slices;  // by member
    DType dtype = DType::f32;
    size_t arrived = 0, left = 0;  // members that have contributed, and members that have taken the sum
    bool added = false;
  };
  void check_member(const Queue* queue, size_t member) const;
  void poke_all();
  // Returns the time that a transfer of `bytes` bytes takes on the device.
  static double seconds(const Queue* queue, uint64_t bytes);

  const std::vector<Device*> members_;
  std::mutex mutex_;                  // guards the members below
  std::vector<uint64_t> rounds_of_;   // by member: the number of sums that it has enqueued
  std::map<uint64_t, Round> rounds_;  // the sums that not all members have taken
  std::map<std::pair<size_t, size_t>, std::deque<std::vector<unsigned char>>>
      messages_;  // by sender and receiver
};

}  // namespace cutset::simulated
