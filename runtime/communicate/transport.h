// Transfers tensors between the devices of one process over host memory, with one mailbox per channel.
//
// Every message has a header with its program, step, channel, type and size. The receiver compares it with the header
// that it expects. A message of another program, step or channel is therefore reported as an error that names both
// headers, and its data are not used.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "ir/core/result.h"

namespace cutset {

struct MessageHeader {
  uint64_t program = 0;  // Program::fingerprint
  uint64_t step = 0;     // how often the function has run, the current run included
  int32_t channel = 0;   // the index in Function::channels, or ~n for the partial sums of collective n
  int32_t dtype = 0;     // DType of the elements
  uint64_t bytes = 0;    // size of the data
  bool operator==(const MessageHeader&) const = default;
};
// Returns the fields of the header as text, for error messages.
std::string to_string(const MessageHeader& header);

// Holds one message. It has one sender and one receiver, each on its own thread, and carries one message per step.
// post() and take() allocate no memory.
class Mailbox {
 public:
  // `staging` is host memory for the data, which outlives the mailbox.
  explicit Mailbox(void* staging) : staging_(staging) {}
  // The memory for the data. The sender writes it before post(), and the receiver reads it after take().
  void* staging() { return staging_; }

  // Declares that the data of a message has been written.
  void post(const MessageHeader& header);
  // Blocks until a message arrives. Fails if its header differs from `expected`, or if abandon() is called before it
  // arrives.
  Status take(const MessageHeader& expected);
  // Ends a blocked take() with an error. Every later take() fails, too, unless a message has arrived.
  void abandon();

 private:
  void* staging_;
  std::mutex mutex_;
  std::condition_variable changed_;
  MessageHeader header_;
  bool full_ = false, abandoned_ = false;
};

}  // namespace cutset
