// SPDX-License-Identifier: Apache-2.0
// A pool of memory for tensors: memory that a tensor gives back serves the next tensor of about the same
// size. Large blocks of malloc() go back to the system instead, and every new page then costs a fault and is
// cleared by the system.
//
// A pool keeps at most kMostBlocks free blocks and as many free bytes as its maker says, and frees what came
// back first. It never takes more memory than was in use at the same time, except for free blocks of other
// sizes. If there is no memory for a new block, all free blocks are freed first. Blocks may come back after
// the pool has been destroyed; they are then freed.
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
  // The smallest block of a pool without a source. malloc() keeps smaller ones itself.
  static constexpr size_t kLeastBytes = size_t{64} << 10;
  // The sixteenth part of the memory that the process can use.
  static uint64_t most_kept_bytes();

  // A pool that keeps at most `most_kept_bytes` free bytes. Without a source, it takes ordinary memory. It
  // also does if the source has none; such a block does not return to the pool.
  explicit HostPool(uint64_t most_kept_bytes = HostPool::most_kept_bytes(),
                    std::unique_ptr<Source> source = nullptr);
  // Frees what it keeps.
  ~HostPool();
  HostPool(const HostPool&) = delete;

  // Returns memory whose bytes are undefined: they may be those of an earlier tensor. Throws std::bad_alloc
  // if there is not enough memory.
  HostStorage take(size_t bytes);
  bool has_source() const;
  // Whether the memory of the tensor is of this pool and returns to it.
  bool holds(const HostTensor& tensor) const;
  // The bytes and the number of the free blocks.
  uint64_t kept_bytes() const;
  size_t kept_blocks() const;

  // Makes uninitialized() take the memory of this thread's tensors from a pool, which must outlive the
  // object. Objects may be nested; the last one counts.
  class Use {
   public:
    explicit Use(HostPool& pool);
    ~Use();
    Use(const Use&) = delete;

   private:
    HostPool* before_;
  };
  // The pool of this thread, or null.
  static HostPool* current();

 private:
  struct Block;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cutset
