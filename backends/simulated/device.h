// A simulated accelerator: it runs the reference kernels behind asynchronous queues.
//
// The device's memory is behind opaque handles, so the host cannot access it, and it holds NaN until it is written. One
// thread executes the commands of all queues. It chooses, by a seeded generator, the queue whose next command runs. A
// queue whose next command waits for an event that has not happened is not chosen. Only events order the queues, so if
// the compiler forgets a wait, the result is NaN or depends on the seed.
//
// A timed device takes the time that its performance model gives. Each queue has a clock. A command starts when its
// queue is free, when it has been submitted, and when the event that it waits for has happened. Its effect becomes
// visible when the real clock has reached the modelled time. If a kernel runs longer than its modelled time, its effect
// is delayed: the modelled time is a lower bound.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ir/core/philox.h"
#include "runtime/abi/cutset_device.h"
#include "runtime/abi/reference_kernel.h"

namespace cutset::simulated {

// A buffer of the device.
struct Memory {
  std::vector<unsigned char> bytes;
};
// A tensor: a part of a buffer.
struct Slice {
  Memory* memory;
  uint64_t offset, bytes;
  unsigned char* data() const { return memory->bytes.data() + offset; }
};
using Time = std::chrono::steady_clock::time_point;
struct Event {
  uint64_t value = 0;
  Time when = {};  // the modelled time of the last signal
};
// A kernel that is bound to its operands.
struct Instance {
  abi::BoundReference kernel;  // the reference kernel over the device's memory
  double seconds;              // its modelled time
};

// An entry of a queue. `kind` determines the members that are used.
struct Command {
  enum class Kind { kKernel, kWrite, kRead, kCopy, kSignal, kWait } kind;
  Instance* instance = nullptr;
  Slice *from = nullptr, *to = nullptr;
  const void* source = nullptr;
  void* target = nullptr;
  uint64_t bytes = 0, value = 0;
  Event* event = nullptr;
  Time submitted = {};  // set only on a timed device
};

class Device;
struct Queue {
  Device* device;
  std::deque<Command> commands;
  bool running = false;  // the device executes a command of this queue
  Time clock = {};       // the modelled time at which the last command has finished
};

// The device. Any thread may call the public functions.
class Device {
 public:
  explicit Device(const cutset_device_info& info);
  ~Device();

  const cutset_device_info& info() const { return info_; }
  // The device owns its queues. A queue must be idle when it is removed.
  Queue* add_queue();
  void remove_queue(Queue* queue);
  // Appends a command to a queue. Does nothing after an error or abandon().
  void submit(Queue* queue, const Command& command);
  // Blocks until no command of the queue runs or is waiting to run. Returns the device's first error, or the message
  // that the device was abandoned, or an empty string.
  std::string finish(Queue* queue);
  // Drops all commands that have not started, and all that are submitted later. An error of a kernel does the same.
  void abandon();

 private:
  void work();  // the loop of the device's thread
  // Chooses a queue whose next command can start at `now`. If there is none, returns null and sets `next` to the
  // earliest time at which one can start, or to Time::max() if that depends on an event or a submission. The caller
  // holds the lock, as for the functions below except run().
  Queue* pick(Time now, Time& next);
  static Time start_of(const Queue& queue);         // the modelled start of the queue's next command
  double seconds_of(const Command& command) const;  // the modelled time of a command
  bool idle(const Queue& queue) const;
  bool dead() const { return abandoned_ || !error_.empty(); }
  void drop_all();
  void run(const Command& command);  // executes a command that is neither a signal nor a wait

  const cutset_device_info info_;
  std::mutex mutex_;
  std::condition_variable submitted_, done_;
  std::vector<std::unique_ptr<Queue>> queues_;
  PhiloxSequence random_;
  std::string error_;
  bool stop_ = false, abandoned_ = false;
  std::thread thread_;  // declared last, because it uses all members above
};

}  // namespace cutset::simulated
