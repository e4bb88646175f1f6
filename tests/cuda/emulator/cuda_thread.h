// SPDX-License-Identifier: Apache-2.0
// The CUDA threads and the warps of the block that the emulator runs.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/cuda/emulator/fiber.h"
#include "tests/cuda/emulator/kernel_interface.h"

namespace cutset::cuda::doubles {

inline constexpr unsigned kLanes = 32;  // the threads of a warp

enum class State : unsigned char { kReady, kAtBarrier, kInWarp, kReturned };
enum class WarpOp : unsigned char { kSync, kShuffle, kBallot };

struct Thread {
  Position position;
  Fiber* fiber = nullptr;  // null: has not started, or has returned
  State state = State::kReady;
  int line = 0;           // where the thread waits
  unsigned barriers = 0;  // the number of barriers that the thread has reached
  // The operation of the warp in which the thread waits, and the result for the thread.
  WarpOp op = WarpOp::kSync;
  Shuffle kind = Shuffle::kIndex;
  unsigned mask = 0;
  int operand = 0, width = 0;  // the arguments of a shuffle
  unsigned long long sent = 0, received = 0;
};

// The points of order of the threads that meet with the same mask. They use two tags in turn, because a
// thread that has already reached the next meeting must not be ordered before a thread that leaves this
// meeting.
struct Meeting {
  unsigned mask;
  std::unique_ptr<OrderTag[]> tags = std::make_unique<OrderTag[]>(2);
  unsigned reached[kLanes] = {};  // the number of meetings that each lane has reached
};

struct Warp {
  Thread* threads = nullptr;                      // by lane
  unsigned lanes = 0, waiting = 0, returned = 0;  // masks
  unsigned ready = 0;                             // the number of threads that can run
  std::vector<Meeting> meetings = {};             // under ThreadSanitizer only

  // Returns the tag of the next meeting of a lane with a mask.
  OrderTag& tag(unsigned mask, unsigned lane) {
    auto found =
        std::find_if(meetings.begin(), meetings.end(), [&](const Meeting& m) { return m.mask == mask; });
    if (found == meetings.end()) found = meetings.insert(found, Meeting{mask});
    return found->tags[found->reached[lane]++ % 2];
  }
};

// Returns the lane from which a lane reads in a shuffle (CUDA C++ Programming Guide, "Warp Shuffle
// Functions").
inline unsigned source_lane(const Thread& t, unsigned own_lane) {
  const int own = static_cast<int>(own_lane), first = own & ~(t.width - 1), last = first + t.width - 1;
  int source = own;
  if (t.kind == Shuffle::kIndex) source = first + (t.operand & (t.width - 1));
  if (t.kind == Shuffle::kUp && own - t.operand >= first) source = own - t.operand;
  if (t.kind == Shuffle::kDown && own + t.operand <= last) source = own + t.operand;
  if (t.kind == Shuffle::kXor && (own ^ t.operand) <= last) source = own ^ t.operand;
  return static_cast<unsigned>(source) % kLanes;
}

}  // namespace cutset::cuda::doubles
