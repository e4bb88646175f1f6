// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/emulator/warp_operation.h"

#include "tests/cuda/emulator/launch_limits.h"

namespace cutset::cuda::doubles {
namespace {

WarpStep failure(const Thread& at, std::string error) { return {.failed = &at, .error = std::move(error)}; }

// Ends the operation of a warp. All threads of the mask have arrived.
WarpStep finish_meeting(Warp& warp, const Thread& last) {
  const unsigned named = last.mask & warp.lanes;
  unsigned votes = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(named >> i & 1)) continue;
    const Thread& t = warp.threads[i];
    if (t.mask != last.mask)
      return failure(last, "the masks of a warp disagree; " + place_of(t) + " with another mask");
    if (t.op != last.op || t.line != last.line)
      return failure(last, "threads of one mask wait at different operations; " + place_of(t));
    if (t.sent) votes |= 1u << i;
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(named >> i & 1)) continue;
    Thread& t = warp.threads[i];
    const unsigned source = t.op == WarpOp::kShuffle ? source_lane(t, i) : i;
    if (t.op == WarpOp::kShuffle) t.received = named >> source & 1 ? warp.threads[source].sent : kNan;
    if (t.op == WarpOp::kBallot) t.received = votes;
  }
  warp.waiting &= ~named;
  return {.released = named};
}

}  // namespace

WarpStep arrive(Warp& warp, unsigned lane) {
  const Thread& t = warp.threads[lane];
  if (!(t.mask >> lane & 1))
    return failure(t, "the mask of the operation does not contain the calling thread");
  if (t.mask & warp.returned) return failure(t, "the mask of the operation names a thread that has returned");
  const bool is_width = t.width >= 1 && t.width <= int{kLanes} && (t.width & (t.width - 1)) == 0;
  if (t.op == WarpOp::kShuffle && !is_width)
    return failure(
        t, "the width of a shuffle is " + std::to_string(t.width) + "; it must be a power of two up to 32");
  warp.waiting |= 1u << lane;
  const unsigned named = t.mask & warp.lanes;
  if ((named & warp.waiting) != named) return {};
  return finish_meeting(warp, t);
}

WarpStep check_returned(const Warp& warp, unsigned returned) {
  for (unsigned i = 0; i < kLanes; ++i)
    if (warp.waiting >> i & 1 && warp.threads[i].mask >> returned & 1)
      return failure(warp.threads[i], "the mask of the operation names a thread that has returned");
  return {};
}

std::string place_of(const Thread& thread) {
  return "thread " + text_of(thread.position.thread) + " waits at line " + std::to_string(thread.line);
}

}  // namespace cutset::cuda::doubles
