// SPDX-License-Identifier: Apache-2.0
// The interfaces through which devices exchange tensors: messages over a Link, and sums of a Group. A
// Transport makes both.
//
// A message or partial sum has a header with its program, epoch, step, channel, type and size. The receiver
// compares it with the header that it expects. A message of another program, step or channel is therefore
// reported as an error that names both headers, and its data are not used.
//
// An epoch is a time in which no device fails. A failure ends it, and thereby all waits. A message of an
// ended epoch is never received in a later epoch.
//
// A wait ends with an error at its deadline, which is a time of the transport's clock. The error names the
// channel or the collective, the step, and the devices that have not come.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/communicate/clock.h"
#include "runtime/program/program.h"

namespace cutset {

struct MessageHeader {
  uint64_t program = 0;  // Program::fingerprint
  uint64_t epoch = 0;    // Transport::epoch
  uint64_t step = 0;     // the number of the run among all runs of the session (Executor::next_run)
  int32_t channel = 0;   // the index in Function::channels, or ~n for the partial sums of collective n
  int32_t dtype = 0;     // DType of the elements
  uint64_t bytes = 0;    // size of the data
  bool operator==(const MessageHeader&) const = default;
};
// Returns the fields of the header as text, for error messages.
std::string to_string(const MessageHeader& header);

// Carries messages from one device to another. It has one slot per message of a step, so a message never
// waits for the receiver of another message. Different threads may use different slots at the same time, and
// the sender and the receiver of a slot may be different threads. No function allocates memory unless it
// fails.
class Link {
 public:
  virtual ~Link() = default;
  // Returns the host memory for the data of the message in a slot. The sender writes it before post(). The
  // receiver reads it after take(), until its step has ended.
  virtual void* staging(size_t slot) = 0;
  // Declares that the data of a message has been written. Must be called at most once per slot and step. A
  // message of an ended epoch is dropped.
  virtual void post(size_t slot, const MessageHeader& header) = 0;
  // Blocks until the message arrives, calls `arrived`, and returns its status. Fails without that call if the
  // header differs from `expected`, at the deadline, and when the epoch ends before the message arrives.
  // While this thread is blocked, the thread that posts the message may call `arrived`: the receiver's device
  // then continues before this thread is woken. If that call throws std::bad_alloc, it is repeated on this
  // thread.
  virtual Status take(size_t slot, const MessageHeader& expected, Clock::Time deadline,
                      const std::function<Status()>& arrived) = 0;
};

// Adds the partial sums of one collective of a function, step after step. start() and wait() may be called
// from different threads. No function allocates memory unless it fails.
class Group {
 public:
  virtual ~Group() = default;
  // Returns the host memory for partial sum `partial`. The thread of its device writes it before it calls
  // start().
  virtual void* staging(size_t partial) = 0;
  // Declares that partial sum `partial` has been written. Must be called once per partial sum and step, and
  // step after step. A partial sum of an ended epoch is dropped.
  virtual void start(size_t partial, const MessageHeader& header) = 0;
  // Blocks until all partial sums of step `expected.step` have been started and added. Must return before a
  // partial sum of the next step is started. Fails if the header of a partial sum differs from `expected`, at
  // the deadline, and when the epoch ends before the sum is complete.
  virtual Status wait(const MessageHeader& expected, Clock::Time deadline) = 0;
  // Returns the sum of the step that wait() returned for. It is valid until staging(0) is written in the next
  // step.
  virtual const void* sum() const = 0;
};

// Makes links and groups, which it must outlive. One thread at a time may call link(), group() and
// begin_epoch() and destroy links and groups, while no step runs. Any thread may call the other functions.
class Transport {
 public:
  // A message of a link.
  struct Slot {
    void* staging;     // host memory for the data, which outlives the link
    std::string name;  // for error messages: "channel 3 (h, from cpu:0 to sim:0)"
  };
  // A partial sum of a group.
  struct Partial {
    void* staging;       // host memory of collective.type.bytes() bytes, which outlives the group
    std::string device;  // the name of the device that contributes it
  };
  virtual ~Transport() = default;
  virtual std::unique_ptr<Link> link(std::vector<Slot> slots) = 0;
  // Makes a group. `name` is for error messages: "all_reduce 2 (gradient of w)". Fails if the ranges of the
  // partial sums leave a gap or are not nodes of the sum tree (additions_of).
  virtual Result<std::unique_ptr<Group>> group(const Collective& collective, std::string name,
                                               std::vector<Partial> partials) = 0;
  // Returns the number of the current epoch. The first epoch has the number 1.
  virtual uint64_t epoch() const = 0;
  // Ends every blocked wait, and every later wait of the epoch, with an error that contains `why`. A wait for
  // a message or sum that is complete still succeeds. `why` must stay valid until the next epoch. Only the
  // first call in an epoch has an effect.
  virtual void end_epoch(const std::string& why) noexcept = 0;
  // Begins the next epoch and drops everything that was sent and not received. The epoch before it must have
  // ended, and no thread may still wait in it.
  virtual void begin_epoch() = 0;
};

}  // namespace cutset
