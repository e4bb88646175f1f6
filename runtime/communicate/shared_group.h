// SPDX-License-Identifier: Apache-2.0
// A group of devices of one process.
//
// The thread of every device that holds a partial sum copies it to host memory and starts it. When all
// partial sums have been started, they are added slice by slice along the fixed binary tree of
// ir/core/sum_tree.h, so every receiver gets the same bits, whatever the order of arrival. The thread that
// started the last partial sum and all threads that wait for the sum share the slices. A slice is small
// enough for the slices of all partial sums to stay in the cache of a core. No thread waits for another
// particular thread to add, so a late receiver delays no other thread.
#pragma once
#include <atomic>
#include <memory>

#include "runtime/communicate/shared_memory.h"

namespace cutset {

class SharedGroup final : public Group, private SharedMemory::Member {
 public:
  // Implements Transport::group.
  static Result<std::unique_ptr<Group>> make(SharedMemory& transport, const Collective& collective,
                                             std::string name, std::vector<Transport::Partial> partials);

  void* staging(size_t partial) override { return partials_[partial].staging; }
  // Starts a partial sum. The last call of a step takes part in the addition before it returns.
  void start(size_t partial, const MessageHeader& header) override;
  // Takes part in the addition.
  Status wait(const MessageHeader& expected, Clock::Time deadline) override;
  const void* sum() const override { return partials_[0].staging; }

 private:
  SharedGroup(SharedMemory& transport, const TensorType& type, std::string name,
              std::vector<Transport::Partial> partials);
  void clear() override;
  // Returns the text of an error about the partial sums that have not come. The caller holds mutex_.
  std::string missing(uint64_t step) const;
  // Adds slices until none is left. The call that finishes the last slice makes the sum of `step` complete.
  void add_slices(uint64_t step);

  const TensorType type_;
  const std::string name_;
  const std::vector<Transport::Partial> partials_;    // the sum replaces the first partial sum
  std::vector<std::pair<size_t, size_t>> additions_;  // {to, from} in order: `from` is added to `to`
  // By partial sum: the header with which it was last started.
  std::vector<MessageHeader> headers_;
  size_t started_ = 0;        // the number of partial sums that were started in the current step
  uint64_t added_step_ = 0;   // the last step whose partial sums have all been started
  uint64_t summed_step_ = 0;  // the last step whose sum is complete
  int64_t slice_elements_ = 1, slices_ = 1;
  std::atomic<int64_t> next_slice_ = 0, finished_slices_ = 0;  // counters of the slices of the current step
};

}  // namespace cutset
