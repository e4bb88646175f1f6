// SPDX-License-Identifier: Apache-2.0
// A pool of memory for tensors. When a tensor gives memory back, the next tensor of about the same size gets
// it. malloc() returns large blocks to the system instead. Every new page then costs a page fault, and the
// system clears it.
//
// A pool keeps at most kMostBlocks free blocks and `most_kept_bytes` free bytes, and frees the oldest free
// blocks first. The pool takes at most the largest amount of memory in use at one time, plus free blocks of
// other sizes. If there is no memory for a new block, the pool frees all free blocks and tries again. Blocks
// that come back after the pool has been destroyed are freed.
//
// Any thread may call the functions, and tensors of a pool may be destroyed on any thread.
#pragma once
#include <cstdint>
#include <memory>

#include "runtime/files/host_storage.h"

namespace cutset {

class HostPool {
 public:
  // Provides the memory of a pool. Any thread may call the functions.
  class Source {
   public:
    virtual ~Source() = default;
    // Returns memory with the alignment kTensorAlignment, or null if there is none.
    virtual void* allocate(size_t bytes) noexcept = 0;
    virtual void free(void* memory) noexcept = 0;
  };
  static constexpr size_t kMostBlocks = 64;
  // The smallest block of a pool without a source. malloc() keeps smaller blocks itself.
  static constexpr size_t kLeastBytes = size_t{64} << 10;
  // Returns a sixteenth of the memory that the process can use.
  static uint64_t most_kept_bytes();

  // Makes a pool that keeps at most `most_kept_bytes` free bytes. Without a source, the pool takes ordinary
  // memory. If the source has no memory left, the pool also takes ordinary memory, which does not return to
  // the pool.
  explicit HostPool(uint64_t most_kept_bytes = HostPool::most_kept_bytes(),
                    std::unique_ptr<Source> source = nullptr);
  // Frees the blocks that the pool keeps.
  ~HostPool();
  HostPool(const HostPool&) = delete;

  // Returns memory with undefined bytes: it may still have the bytes of an earlier tensor. Throws
  // std::bad_alloc if there is not enough memory.
  HostStorage take(size_t bytes);
  bool has_source() const;
  // Whether the memory of the tensor comes from this pool and returns to it.
  bool holds(const HostTensor& tensor) const;
  // Return the bytes and the number of the free blocks.
  uint64_t kept_bytes() const;
  size_t kept_blocks() const;

  // While the object lives, uninitialized() takes the memory of this thread's tensors from the pool, which
  // must outlive the object. Objects may be nested. The last object counts.
  class Use {
   public:
    explicit Use(HostPool& pool);
    ~Use();
    Use(const Use&) = delete;

   private:
    HostPool* before_;
  };
  // Returns the pool of this thread, or null.
  static HostPool* current();

 private:
  struct Block;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cutset
