// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/nccl/messages.h"

namespace cutset::cuda {

Messages::Messages(std::vector<Device*> members) : members_(std::move(members)) {
  for (const Device* device : members_)
    for (const Device* peer : members_) {
      int can = 0;
      if (device->id == peer->id || driver().can_access_peer(&can, device->id, peer->id) != kSuccess || !can)
        continue;
      const Current current(*device);
      const Status status = driver().enable_peer(peer->context, 0);
      if (status != kPeerAccessAlreadyEnabled) check(status, DriverNames::enable_peer);
    }
}

Messages::~Messages() {
  for (const auto& [key, pair] : pairs_)
    for (const auto& block : pair.blocks) {
      [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
        const Current current(*members_[key.first]);
        if (block->memory) driver().free(block->memory);
        if (block->sent) driver().release_event(block->sent);
        const Current receiver(*members_[key.second]);
        if (block->received) driver().release_event(block->received);
      });
    }
}

// Returns a block that contains no message, on which the sender's stream may have to wait for an earlier
// receiver.
Messages::Block& Messages::take(Pair& pair, size_t from, size_t to, uint64_t bytes) {
  for (const auto& block : pair.blocks)
    if (!block->is_posted && block->capacity >= bytes) return *block;
  Block& block = *pair.blocks.emplace_back(std::make_unique<Block>());
  const Current sender(*members_[from]);
  CUTSET_CUDA(make_event, &block.sent, kEventDisableTiming);
  {
    const Current receiver(*members_[to]);
    CUTSET_CUDA(make_event, &block.received, kEventDisableTiming);
  }
  const uint64_t capacity = bytes ? bytes : 1;
  CUTSET_CUDA(allocate, &block.memory, capacity);
  block.capacity = capacity;
  return block;
}

void Messages::send(size_t from, size_t to, const cutset_slice& slice, Stream stream) {
  Pair& pair = pairs_[{from, to}];
  Block& block = take(pair, from, to, slice.bytes);
  if (block.was_received) CUTSET_CUDA(wait_for_event, stream, block.received, 0);
  if (slice.bytes) CUTSET_CUDA(copy_on_device, block.memory, address(slice), slice.bytes, stream);
  CUTSET_CUDA(record_event, block.sent, stream);
  block.bytes = slice.bytes;
  block.is_posted = true;
  pair.posted.push_back(&block);
  if (pair.waiting.empty()) return;
  const Receiver receiver = pair.waiting.front();
  pair.waiting.pop_front();
  pair.posted.pop_front();
  try {
    deliver(block, from, to, receiver);
    receiver.queue->release();
  } catch (const abi::Exception& e) {
    receiver.queue->fail(e);
  }
}

void Messages::receive(Queue& queue, size_t from, size_t to, const cutset_slice& slice, Stream stream) {
  Pair& pair = pairs_[{from, to}];
  if (pair.posted.empty()) {
    pair.waiting.push_back({&queue, slice, stream});
    return queue.hold();
  }
  Block& block = *pair.posted.front();
  pair.posted.pop_front();
  deliver(block, from, to, {&queue, slice, stream});
}

void Messages::deliver(Block& block, size_t from, size_t to, const Receiver& receiver) {
  block.is_posted = false;
  if (block.bytes != receiver.to.bytes)
    throw abi::Exception(CUTSET_INVALID_ARGUMENT, "a message of " + std::to_string(block.bytes) +
                                                      " bytes arrived where " +
                                                      std::to_string(receiver.to.bytes) + " were expected");
  const Current current(*members_[to]);
  CUTSET_CUDA(wait_for_event, receiver.stream, block.sent, 0);
  if (block.bytes)
    CUTSET_CUDA(copy_peer, address(receiver.to), members_[to]->context, block.memory, members_[from]->context,
                block.bytes, receiver.stream);
  CUTSET_CUDA(record_event, block.received, receiver.stream);
  block.was_received = true;
}

void Messages::fail(const abi::Exception& error) {
  for (auto& [key, pair] : pairs_) {
    for (const Receiver& receiver : pair.waiting) receiver.queue->fail(error);
    pair.waiting.clear();
  }
}

}  // namespace cutset::cuda
