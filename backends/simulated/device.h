// SPDX-License-Identifier: Apache-2.0
// A simulated accelerator: it runs the reference kernels in asynchronous queues.
//
// The device's memory has opaque handles, so the host cannot access it. The memory holds NaN until it is
// written. One thread executes the commands of all queues. A seeded generator chooses the queue whose next
// command runs. A queue whose next command waits for an event that has not happened is not chosen. Only
// events order the queues, so if the compiler forgets a wait, the result is NaN or depends on the seed.
//
// A timed device takes the time that its performance model gives. Each queue has a clock. A command starts as
// soon as its queue is free, it has been submitted, and the event that it waits for has happened. Its effect
// becomes visible when the real clock has reached the modelled time. If a kernel runs longer than its
// modelled time, its effect is delayed: the modelled time is a lower bound.
//
// A command that fails ends the work of all queues, because commands of other queues may wait for it. The
// commands of a queue are dropped until `finish` has reported the error. The memory of the device stays
// readable, unless a fault on request has made the device lose it.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backends/simulated/faults.h"
#include "ir/core/philox.h"
#include "runtime/abi/cutset_device.h"
#include "runtime/abi/error.h"

namespace cutset::simulated {

// A buffer of the device.
struct Memory {
  std::vector<unsigned char> bytes;
};
// Returns the first byte of a slice, or null if it has no buffer.
inline unsigned char* data_of(const cutset_slice& slice) {
  return slice.buffer ? reinterpret_cast<Memory*>(slice.buffer)->bytes.data() + slice.offset : nullptr;
}
using Time = std::chrono::steady_clock::time_point;
struct Event {
  uint64_t value = 0;
  Time when = {};  // the modelled time of the last signal
};
struct Timestamp {
  Time when = {};
};

// An entry of a queue. `kind` determines the members that are used.
struct Command {
  enum class Kind { kWork, kSignal, kWait, kTimestamp } kind = Kind::kWork;
  // kWork: the effect, which the device's thread calls without a lock; it throws abi::Exception if it fails.
  std::function<void()> work = {};
  // kWork: whether the command can run; empty: at any time. It is called with the device locked.
  std::function<bool()> ready = {};
  double seconds = 0;       // kWork: the modelled time
  bool recordable = false;  // a capture may contain the command
  bool counts = true;  // whether progress() counts it; a call with several commands counts the last one only
  Event* event = nullptr;      // kSignal, kWait
  uint64_t value = 0;          // kSignal, kWait
  Timestamp* stamp = nullptr;  // kTimestamp
  Time submitted = {};         // set only on a timed device
};
struct Capture {
  std::vector<Command> commands;
};

// An error of a queue, or no error if it has no text. Copying it allocates no memory, so all queues get it
// even if memory is exhausted.
struct Error {
  cutset_code code = CUTSET_FAILED;
  std::shared_ptr<const std::string> text = {};
};

class Device;
struct Queue {
  Device* device;
  std::deque<Command> commands = {};
  bool running = false;                     // the device executes a command of this queue
  int waiting = 0;                          // the threads in finish() for this queue
  uint64_t done = 0;                        // the number of commands that have been executed
  Time clock = {};                          // the modelled time at which the last command has finished
  std::unique_ptr<Capture> recording = {};  // null: commands are not recorded
  bool counted = true;                      // whether progress() counts the command that was begun last
  // The error that the next finish() reports; until then commands are dropped.
  Error error = {};
};

// The device. Any thread may call the public functions. The functions that fail throw abi::Exception.
class Device {
 public:
  explicit Device(const cutset_device_info& info);
  ~Device();

  const cutset_device_info& info() const { return info_; }
  Faults& faults() { return faults_; }
  // The device owns its queues. A queue must be idle when it is removed.
  Queue* add_queue();
  void remove_queue(Queue* queue);
  // Appends a command to a queue, or to its recording. Does nothing while the queue has an error.
  void submit(Queue* queue, Command command);
  // Start and end the recording of a queue.
  void begin(Queue* queue);
  std::unique_ptr<Capture> end(Queue* queue);
  // Blocks until no command of the queue runs or is waiting to run. Throws the error of the queue, if it has
  // one, and clears it.
  void finish(Queue* queue);
  // Drops all commands that have not started. Until resume(), a wait for an event that has not happened
  // fails.
  void abandon() noexcept;
  // Must be called when all queues are finished.
  void resume();
  // Throws if the queue records a capture. Is called for commands that a capture cannot contain.
  void refuse_recording(const Queue* queue);
  // Returns the number of commands of the queue that have been executed.
  uint64_t progress(const Queue* queue);
  // Whether abandon() has been called. A command that never ends by itself calls this function.
  bool is_abandoned();
  // Looks again for a command that can run, because another device has changed what `ready` depends on.
  void poke();

 private:
  void work();  // the loop of the device's thread
  // Chooses a queue whose next command can start at `now`. If there is none, returns null and sets `next` to
  // the earliest time at which a command can start, or to Time::max() if that depends on an event or a
  // submission. The caller holds the lock, as for the functions below.
  Queue* pick(Time now, Time& next);
  static Time start_of(const Queue& queue);          // the modelled start of the queue's next command
  void apply(Queue& queue, const Command& command);  // the effect of a command that is not kWork
  void fail(Queue& queue, const Error& error) noexcept;
  // Runs a command of kind kWork without the lock. Returns its error.
  Error run(const Command& command) noexcept;

  const cutset_device_info info_;
  Faults faults_;
  std::mutex mutex_;
  std::condition_variable submitted_, done_;
  std::vector<std::unique_ptr<Queue>> queues_;
  const Error abandoned_error_ = {CUTSET_ABANDONED, std::make_shared<std::string>(abi::Abandoned().what())};
  const Error out_of_memory_ = {CUTSET_OUT_OF_MEMORY, std::make_shared<std::string>("out of memory")};
  PhiloxSequence random_;
  bool stop_ = false, abandoned_ = false;
  std::thread thread_;  // declared last, because it uses all members above
};

}  // namespace cutset::simulated
