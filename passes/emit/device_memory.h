// SPDX-License-Identifier: Apache-2.0
// The memory of one device while the instructions of a function are emitted: its buffers, which buffers share
// memory, when each is needed, and where it lies in the arena.
//
// Time is counted along the schedule. The unit of time is an instruction of the compute queue, and the calls
// of roles are *turns*. The in queue and the out queue run independently of the compute queue, so a value
// that they use belongs to more than the instructions that need it:
//   - the memory of an incoming value is taken one turn before the call that needs it, so that the value can
//     arrive during that turn;
//   - the memory of an outgoing value is kept for one more turn, so that it can leave during that turn.
// The accesses to the arena order the queues (runtime/program/order/order_queues.h). The flag of a finite
// check, which the host reads, is needed until the end of the step.
#pragma once
#include <map>
#include <span>

#include "graph/packing/pack_arena.h"
#include "ir/core/result.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallVector.h"
#include "runtime/program/program.h"

namespace cutset::passes {

class DeviceMemory {
 public:
  // What is known of the memory that a buffer owns.
  struct Owned {
    int64_t first = -1, last = -1;  // positions of the first and the last use; -1: none
    int64_t sent_in = -1;           // the turn in which the out queue uses it last; -1: none
    bool until_end = false;         // needed until the end of the step
    bool computed = false;          // an instruction of the compute queue writes it
    int64_t group = -1;             // the values that share slots (graph/packing/pack_arena.h)
  };
  // The memory inside the roles that are called several times, which the compute queue uses from the first
  // call to the last.
  struct Region {
    uint64_t bytes = 0;
    uint64_t offset = 0;          // set by pack()
    int64_t first = 0, last = 0;  // positions of the first and the last use
  };

  // Appends buffers to `function`, which must outlive this object.
  DeviceMemory(Function& function, int32_t device);

  BufferId new_buffer(TensorType type, Storage storage);
  // Makes a frame of values with the types `types_of()`, which are the same for all frames of a group. A
  // frame with a group holds its values from its first use to its last use, and `pack` decides which frames
  // of the group share memory. A frame without a group (-1) has new buffers at once, which are used
  // separately after `apart`.
  FrameId new_frame(int64_t group, llvm::function_ref<Types()> types_of);
  // Returns the frame that has only this buffer. Calls pass it as an argument.
  FrameId frame_of(BufferId buffer);
  // Lets the buffers of a frame without a group be used separately from now on.
  void apart(FrameId frame);
  // Makes a buffer in the memory of `from`, with another type.
  BufferId new_view(BufferId from, TensorType type);
  // Makes `buffer`, with all buffers that share its memory, a part of `bucket`, `offset` bytes from its
  // start.
  void place_inside(BufferId buffer, BufferId bucket, int64_t offset);
  // Returns the buffer that owns the memory of `buffer`, which may be itself.
  BufferId root(BufferId buffer) const { return state_of(buffer).root; }
  Owned& owned(BufferId buffer) { return state_of(root(buffer)).owned; }
  llvm::ArrayRef<BufferId> views_of(BufferId root) { return views_[root]; }

  // Begins a call of a role.
  void begin_turn() { turns_.push_back(position_); }
  // Begins an instruction of the compute queue, and returns its position.
  int64_t advance() { return ++position_; }
  // Note that the current instruction of the compute queue uses the buffer, or all buffers of the frame.
  void use(BufferId buffer);
  void use(FrameId frame);
  // Notes that a call of a role uses the frames.
  void use_together(llvm::ArrayRef<FrameId> frames);
  // Notes that the in queue writes the buffer for the next turn.
  void receive(BufferId buffer);
  // Notes that the out queue reads the buffer after the last turn.
  void send(BufferId buffer);

  // Places the buffers in the arena, and gives each frame with a group its buffers. `region`: null if no role
  // is called several times.
  Packing pack(uint64_t alignment, Region* region);
  // Replaces the frames of all calls by the frames that hold their values since `pack`. Fails if a frame has
  // lost the values that a call reads. That would be an error of the compiler that no check of the program
  // can find.
  Status place_arguments(std::vector<Instruction>& list) const;

 private:
  // What is known of a buffer.
  struct BufferState {
    BufferId root;
    int64_t offset = 0;  // bytes from the start of the memory of its root
    Owned owned;         // used if the buffer is a root
    FrameId single;      // the frame that has only this buffer; not set: none
  };
  // What is known of a frame.
  struct FrameUse {
    bool single = false;            // made by `frame_of`; `owned` of its buffer has the other fields
    int64_t group = -1;             // the frames that share memory (graph/packing/pack_arena.h); -1: none
    int64_t first = -1, last = -1;  // positions of the first and the last use by a call; -1: none
  };
  // Returns the time in which the buffer, which owns its memory, is needed.
  std::pair<int64_t, int64_t> needed(const Owned& owned) const;
  BufferState& state_of(BufferId buffer) { return states_[buffer.index() - base_]; }
  const BufferState& state_of(BufferId buffer) const { return states_[buffer.index() - base_]; }
  FrameUse& use_of(FrameId frame) { return frames_[frame.index() - base_frames_]; }
  FrameId placed(FrameId frame) const { return placed_[frame.index() - base_frames_]; }
  // Gives the frames with groups their buffers. `places`: the places of these frames. Frames of a group at
  // one place become one frame.
  void place_frames(std::span<const ArenaValue> places, uint64_t alignment);

  Function& function_;
  const int32_t device_;
  const size_t base_;                                      // index of the first buffer of this object
  const size_t base_frames_;                               // index of the first frame of this object
  std::vector<BufferState> states_;                        // by buffer of this object
  std::map<BufferId, llvm::SmallVector<BufferId>> views_;  // buffer -> other buffers that lie in its memory
  std::vector<FrameUse> frames_;                           // by frame of this object
  // Group of frames -> the types of the values of a frame.
  std::map<int64_t, Types> types_;
  std::vector<FrameId> placed_;                  // by frame of this object: the frame that holds its values
  llvm::EquivalenceClasses<int64_t> rotations_;  // the groups that are the same rotation
  std::vector<int64_t> turns_;                   // the positions before the calls
  int64_t position_ = 0;                         // counts the instructions of the compute queue
};

}  // namespace cutset::passes
