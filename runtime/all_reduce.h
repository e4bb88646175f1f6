// The sum over the devices of one process, over host memory, for devices of any kind.
//
// Every part is staged by the device that has it; whoever comes last adds them up along the fixed binary tree
// over shard numbers that halves a range [a, b) at a + (b - a + 1) / 2. So the bits depend neither on the
// order of arrival nor on which device had which shards, and every receiver gets the same.
#pragma once
#include <memory>

#include "runtime/program.h"
#include "runtime/transport.h"

namespace cutset {

class AllReduce {
 public:
  // Fails where the parts do not make a tree, and for an element type that the host does not compute with.
  static Result<std::unique_ptr<AllReduce>> make(const Collective& collective);

  // Written before post by the one thread that has the part.
  void* staging(size_t part) { return staging_[part].data(); }
  // One post a part and step. Neither call allocates.
  void post(size_t part, const MessageHeader& header);
  // Blocks until every part of the step is there. Fails if a part says it belongs to something else, or after
  // abandon(). The sum stays until the next step's first post.
  Status take(const MessageHeader& expected);
  const void* sum() const { return staging_[0].data(); }
  void abandon();

 private:
  explicit AllReduce(const TensorType& type) : type_(type) {}
  void add_up();

  TensorType type_;
  std::vector<std::vector<unsigned char>> staging_;
  std::vector<MessageHeader> headers_;
  std::vector<std::pair<size_t, size_t>> additions_;  // the first grows by the second
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t posted_ = 0;
  uint64_t summed_step_ = 0;
  bool abandoned_ = false;
};

// The additions that sum parts over the ranges [first, last) of shards: the first of each pair grows by the
// second, and the total is in part 0. Fails where the ranges leave a gap or cut across a node of the tree.
Result<std::vector<std::pair<size_t, size_t>>> additions_of(const std::vector<Collective::Part>& parts);

}  // namespace cutset
