// Gives the results of calls frames, so that the calls of a role use few of them.
//
// Problem: the values of a frame are needed from one call to a later one. Use as few frames as there are micro-batches whose
//   values are needed at the same time.
// Method: a frame whose values nothing reads any more is free for a later call of the same role, and the frame that has been free
//   for the longest time is taken first. So if frames become free in the order in which they were taken, they are taken in turns,
//   and all frames of a stage change together. Values that are read outside of calls have a frame of their own.
// Complexity: O(1) per result, and per call that updates a frame in place.
#pragma once
#include <deque>
#include <functional>
#include <map>

#include "ir/structural/structural.h"
#include "passes/emit/device_memory.h"

namespace cutset::passes {

class FramePool {
 public:
  // Returns, by result of a call, the operand in whose memory it is computed. Fails if the role cannot be emitted.
  using InPlace = std::function<Result<llvm::SmallVector<std::optional<unsigned>>>(ir::CallOp)>;
  // `memory` must outlive the object.
  FramePool(DeviceMemory& memory, InPlace in_place) : memory_(memory), in_place_(std::move(in_place)) {}

  // Returns a frame for the frame `value` that a call computes. Values of one `group` have the same types.
  Result<FrameId> take(mlir::Value value, int64_t group);
  // Nothing reads the values of the frame any more.
  void give_back(FrameId frame);

 private:
  // Whether the values of a frame, or what later calls make of them in its memory, are read outside of calls.
  Result<bool> leaves(mlir::Value frame) const;

  DeviceMemory& memory_;
  const InPlace in_place_;
  std::map<FrameId, int64_t> group_;             // of a frame that may be used again
  std::map<int64_t, std::deque<FrameId>> free_;  // by group, in the order in which they became free
};

}  // namespace cutset::passes
