// How tensors travel between the devices of one process: over host memory, one mailbox a channel.
//
// A message says what it belongs to; the receiver compares that with what it expects, so a wrong
// program, step, channel, type or size is an error that names both, never a wrong number.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct MessageHeader {
  uint64_t program = 0;  // fingerprint
  uint64_t step = 0;
  int32_t channel = 0;  // ~n for the parts of collective n
  int32_t dtype = 0;
  uint64_t bytes = 0;
  bool operator==(const MessageHeader&) const = default;
};
std::string to_string(const MessageHeader& header);

// One sender and one receiver, each on its own thread, one message a step. `staging` is written by the
// sender before post and read by the receiver after take; neither call allocates.
class Mailbox {
 public:
  explicit Mailbox(const TensorType& type) : staging_(static_cast<size_t>(type.bytes())) {}
  void* staging() { return staging_.data(); }

  void post(const MessageHeader& header);
  // Blocks for the message. Fails if it is not the one expected, or after abandon().
  Status take(const MessageHeader& expected);
  void abandon();

 private:
  std::vector<unsigned char> staging_;
  std::mutex mutex_;
  std::condition_variable changed_;
  MessageHeader header_;
  bool full_ = false, abandoned_ = false;
};

}  // namespace cutset
