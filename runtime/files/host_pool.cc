// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/host_pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/files/usable_memory.h"

namespace cutset {
namespace {

thread_local HostPool* of_thread = nullptr;

constexpr std::align_val_t kAlign{kTensorAlignment};

}  // namespace

// The memory of one tensor, or of no tensor. A tensor that has the block keeps the state of the pool alive.
struct HostPool::Block final : HostOwner {
  Block(Source* source, size_t bytes) : capacity(bytes), from(source) {
    memory = source ? source->allocate(bytes) : ::operator new(bytes, kAlign, std::nothrow);
  }
  ~Block() {
    if (memory && from) from->free(memory);
    if (!from) ::operator delete(memory, kAlign);
  }
  Block(const Block&) = delete;
  void release(unsigned char*, size_t) noexcept override;

  const size_t capacity;
  Source* const from;  // null: ordinary memory
  void* memory;
  std::shared_ptr<State> state;  // null while no tensor has the block
};

struct HostPool::State {
  State(uint64_t bytes, std::unique_ptr<Source> of) : most_bytes(bytes), source(std::move(of)) {
    kept.reserve(kMostBlocks);  // so that put() does not allocate
  }

  // Keeps a block, and frees the oldest blocks if there are too many.
  void put(std::unique_ptr<Block> block) noexcept {
    std::unique_ptr<Block> oldest;  // is freed without the lock
    {
      const std::lock_guard lock(mutex);
      if (!closed && block->from == source.get() && block->capacity <= most_bytes) {
        if (kept.size() == kMostBlocks) {
          oldest = std::move(kept.front());
          kept.erase(kept.begin());
          kept_bytes -= oldest->capacity;
        }
        kept_bytes += block->capacity;
        kept.push_back(std::move(block));
      }
    }
    trim(kMostBlocks, most_bytes);
  }

  // Frees the oldest blocks until at most `blocks` blocks with `bytes` bytes are kept. Returns whether it has
  // freed a block. Blocks are freed without the lock, because a driver may take long.
  bool trim(size_t blocks, uint64_t bytes) noexcept {
    for (bool freed = false;; freed = true) {
      std::unique_ptr<Block> oldest;
      const std::lock_guard lock(mutex);
      if (kept.size() <= blocks && kept_bytes <= bytes) return freed;
      oldest = std::move(kept.front());
      kept.erase(kept.begin());
      kept_bytes -= oldest->capacity;
    }
  }

  // Returns the smallest free block that fits, or null if there is none. Much larger blocks are left for
  // larger tensors.
  std::unique_ptr<Block> find(size_t bytes) noexcept {
    const std::lock_guard lock(mutex);
    auto best = kept.end();
    for (auto at = kept.begin(); at != kept.end(); ++at)
      if ((*at)->capacity >= bytes && (*at)->capacity / 2 <= bytes &&
          (best == kept.end() || (*at)->capacity < (*best)->capacity))
        best = at;
    if (best == kept.end()) return nullptr;
    std::unique_ptr<Block> found = std::move(*best);
    kept.erase(best);
    kept_bytes -= found->capacity;
    return found;
  }

  // Returns a new block. Throws std::bad_alloc if there is no memory.
  std::unique_ptr<Block> make(size_t bytes) {
    for (Source* from : {source.get(), static_cast<Source*>(nullptr)}) {
      auto block = std::make_unique<Block>(from, bytes);
      if (!block->memory && trim(0, 0)) block = std::make_unique<Block>(from, bytes);
      if (block->memory) return block;
    }
    throw std::bad_alloc();
  }

  const uint64_t most_bytes;
  const std::unique_ptr<Source> source;      // outlives the blocks
  std::mutex mutex;                          // guards the members below
  std::vector<std::unique_ptr<Block>> kept;  // the free blocks, in the order in which they came back
  uint64_t kept_bytes = 0;
  bool closed = false;  // the pool was destroyed
};

void HostPool::Block::release(unsigned char*, size_t) noexcept {
  const std::shared_ptr<State> pool = std::move(state);  // may be the last reference
  pool->put(std::unique_ptr<Block>(this));
}

uint64_t HostPool::most_kept_bytes() { return usable_memory_bytes() / 16; }

HostPool::HostPool(uint64_t most_kept_bytes, std::unique_ptr<Source> source)
    : state_(std::make_shared<State>(most_kept_bytes, std::move(source))) {}

HostPool::~HostPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->trim(0, 0);
}

HostStorage HostPool::take(size_t bytes) {
  if (bytes == 0 || (!state_->source && bytes < kLeastBytes)) return allocate_storage(bytes);
  std::unique_ptr<Block> block = state_->find(bytes);
  if (!block) block = state_->make(bytes);
  block->state = state_;
  auto* const data = static_cast<unsigned char*>(block->memory);
  return {data, bytes, block.release()};
}

bool HostPool::has_source() const { return state_->source != nullptr; }

bool HostPool::holds(const HostTensor& tensor) const {
  const auto* block = dynamic_cast<const Block*>(tensor.storage_.owner());
  return block && block->state == state_;
}

uint64_t HostPool::kept_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->kept_bytes;
}
size_t HostPool::kept_blocks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->kept.size();
}

HostPool::Use::Use(HostPool& pool) : before_(std::exchange(of_thread, &pool)) {}
HostPool::Use::~Use() { of_thread = before_; }
HostPool* HostPool::current() { return of_thread; }

}  // namespace cutset
