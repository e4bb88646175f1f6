// An all-reduce over the devices of one process. It uses host memory, so the devices may be of different kinds.
//
// The executor thread of every device that holds a partial sum copies it to host memory and posts it. When all have been
// posted, they are added slice by slice along the fixed binary tree of ir/core/sum_tree.h, so every receiver gets the same
// bits, whatever the order of arrival. The thread that posted last and all threads that wait for the sum share the slices.
// A slice is small enough for the slices of all partial sums to stay in the cache of a core. No thread waits for a
// particular other one to add, so a receiver that comes late holds nobody up.
#pragma once
#include <atomic>
#include <memory>

#include "runtime/communicate/transport.h"
#include "runtime/program/program.h"

namespace cutset {

// One instance serves one collective of a function, step after step. post() and take() may be called from different
// threads. Neither allocates memory.
class AllReduce {
 public:
  // `staging` has host memory of collective.type.bytes() bytes for each partial sum, which outlives the object. Fails if
  // the ranges of the partial sums leave a gap or are not nodes of the sum tree (additions_of), or if the host cannot add
  // the element type (f16, bf16, i8).
  static Result<std::unique_ptr<AllReduce>> make(const Collective& collective, std::vector<void*> staging);

  // The memory for partial sum `partial`. The thread of its device writes it before it calls post().
  void* staging(size_t partial) { return staging_[partial]; }
  // Declares that partial sum `partial` has been written. Must be called once per partial sum and step, and step after
  // step. The last call of a step takes part in the addition before it returns.
  void post(size_t partial, const MessageHeader& header);
  // Blocks until all partial sums of step `expected.step` have been posted and added, and takes part in the addition. Must
  // return before a partial sum of the next step is posted. Fails if the header of a partial sum differs from `expected`, or if abandon() is called before the sum is complete.
  Status take(const MessageHeader& expected);
  // The sum of the step that take() returned for. It is valid until staging(0) is written in the next step.
  const void* sum() const { return staging_[0]; }
  // Ends every blocked and every later take() with an error, unless its sum is already complete.
  void abandon();

 private:
  AllReduce(const TensorType& type, std::vector<void*> staging);
  // Adds slices until none is left. The call that finishes the last slice makes the sum of `step` complete.
  void add_slices(uint64_t step);

  TensorType type_;
  std::vector<void*> staging_;                        // by partial sum; the first one becomes the sum
  std::vector<MessageHeader> headers_;                // by partial sum, of the current step
  std::vector<std::pair<size_t, size_t>> additions_;  // {to, from} in order: `from` is added to `to`
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t posted_ = 0;         // the number of partial sums posted in the current step
  uint64_t added_step_ = 0;   // the last step whose partial sums have all been posted
  uint64_t summed_step_ = 0;  // the last step whose sum is complete
  bool abandoned_ = false;
  int64_t slice_elements_ = 1, slices_ = 1;
  std::atomic<int64_t> next_slice_ = 0, finished_slices_ = 0;  // of the current step
};

}  // namespace cutset
