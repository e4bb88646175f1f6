// A fake accelerator: the reference loops behind queues that run when they like.
//
// Its memory is behind opaque handles, so the host cannot touch it, and is NaN until written. One thread
// picks, by a seeded generator, which queue's next command runs; a queue whose head waits for an event is
// left out. So only events order the queues, and a wait that the compiler forgot shows as NaN or as a
// result that depends on the seed.
//
// A timed device takes the time its numbers say: each queue has a clock of its own, a command starts when its
// queue is free, it was submitted and what it waits for has happened, and what it does is seen when the real
// clock has caught up. Loops that are slower than their model are seen late.
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
#include "runtime/abi/loop_kernel.h"

namespace cutset::simulated {

struct Memory {
  std::vector<unsigned char> bytes;
};
struct Slice {
  Memory* memory;
  uint64_t offset, bytes;
  unsigned char* data() const { return memory->bytes.data() + offset; }
};
using Time = std::chrono::steady_clock::time_point;
struct Event {
  uint64_t value = 0;
  Time when = {};  // of the last signal
};
struct Instance {
  abi::BoundLoop loop;  // over device memory
  double seconds;       // that the model gives it
};

struct Command {
  enum class Kind { kKernel, kWrite, kRead, kCopy, kSignal, kWait } kind;
  Instance* instance = nullptr;
  Slice *from = nullptr, *to = nullptr;
  const void* source = nullptr;
  void* target = nullptr;
  uint64_t bytes = 0, value = 0;
  Event* event = nullptr;
  Time submitted = {};
};

class Device;
struct Queue {
  Device* device;
  std::deque<Command> commands;
  bool running = false;
  Time clock = {};  // when its last command is done
};

class Device {
 public:
  explicit Device(const cutset_device_info& info);
  ~Device();

  const cutset_device_info& info() const { return info_; }
  Queue* add_queue();
  void remove_queue(Queue* queue);
  void submit(Queue* queue, const Command& command);
  // Blocks until nothing of the queue runs or will run; the first error of the device, or empty.
  std::string finish(Queue* queue);
  // Drops what has been submitted and what will be. So does the first error of a kernel.
  void abandon();

 private:
  void work();
  Queue* pick(Time now, Time& next);  // under the lock; null: nothing can run before `next`
  static Time start_of(const Queue& queue);
  double seconds_of(const Command& command) const;
  bool idle(const Queue& queue) const;
  bool dead() const { return abandoned_ || !error_.empty(); }
  void drop_all();
  void run(const Command& command);

  const cutset_device_info info_;
  std::mutex mutex_;
  std::condition_variable submitted_, done_;
  std::vector<std::unique_ptr<Queue>> queues_;
  PhiloxSequence random_;
  std::string error_;
  bool stop_ = false, abandoned_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cutset::simulated
