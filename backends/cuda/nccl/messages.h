// SPDX-License-Identifier: Apache-2.0
// Messages between the members of a group.
//
// The sender copies the message to a block of memory on its GPU, so its queue goes on and may overwrite the
// slice. The receiver's stream waits for this copy and copies the block to its slice. A receiver whose
// message has not been sent yet is held (queue.h). Messages do not use ncclSend and ncclRecv, which run on
// the streams of both members at the same time: two members that send to each other before they receive would
// wait for each other.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/queue.h"

namespace cutset::cuda {

// The caller of every function holds Queue::lock(), except for the constructor and the destructor.
class Messages {
 public:
  // Allows the GPUs to copy from each other directly where they can.
  explicit Messages(std::vector<Device*> members);
  // Frees the blocks. No stream may use them.
  ~Messages();
  Messages(const Messages&) = delete;

  // Must be called from a command of the queue of the member. `stream` is the stream of that queue.
  void send(size_t from, size_t to, const cutset_slice& slice, Stream stream);
  void receive(Queue& queue, size_t from, size_t to, const cutset_slice& slice, Stream stream);
  // Ends the holds of all receivers with an error.
  void fail(const abi::Exception& error);

 private:
  struct Block {
    Address memory = 0;
    uint64_t capacity = 0, bytes = 0;  // the sizes of the block and of the message in it
    DriverEvent sent = nullptr, received = nullptr;
    bool is_posted = false, was_received = false;
  };
  struct Receiver {
    Queue* queue;
    cutset_slice to;
    Stream stream;
  };
  struct Pair {  // a sender and a receiver
    std::vector<std::unique_ptr<Block>> blocks;
    std::deque<Block*> posted;
    std::deque<Receiver> waiting;
  };
  Block& take(Pair& pair, size_t from, size_t to, uint64_t bytes);
  void deliver(Block& block, size_t from, size_t to, const Receiver& receiver);

  const std::vector<Device*> members_;
  std::map<std::pair<size_t, size_t>, Pair> pairs_;
};

}  // namespace cutset::cuda
