// A fake accelerator: the reference loops behind queues that run when they like.
//
// Its memory is behind opaque handles, so the host cannot touch it, and is NaN until written. One thread
// picks, by a seeded generator, which queue's next command runs; a queue whose head waits for an event is
// left out. So only events order the queues, and a wait that the compiler forgot shows as NaN or as a
// result that depends on the seed.
#pragma once
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

namespace cutset::simulated {

struct Memory {
  std::vector<unsigned char> bytes;
};
struct Slice {
  Memory* memory;
  uint64_t offset, bytes;
  unsigned char* data() const { return memory->bytes.data() + offset; }
};
struct Event {
  uint64_t value = 0;
};
struct Instance {
  const cutset_problem* problem;
  std::vector<void*> in, out;  // addresses in device memory; null: type only
};

struct Command {
  enum class Kind { kKernel, kWrite, kRead, kCopy, kSignal, kWait } kind;
  Instance* instance = nullptr;
  Slice *from = nullptr, *to = nullptr;
  const void* source = nullptr;
  void* target = nullptr;
  uint64_t bytes = 0, value = 0;
  Event* event = nullptr;
};

class Device;
struct Queue {
  Device* device;
  std::deque<Command> commands;
  bool running = false;
};

class Device {
 public:
  explicit Device(const cutset_device_info& info);
  ~Device();

  Queue* add_queue();
  void remove_queue(Queue* queue);
  void submit(Queue* queue, const Command& command);
  // Blocks until the queue is empty; the first error of the device, or empty.
  std::string finish(Queue* queue);
  void abandon();

 private:
  void work();
  Queue* pick();  // under the lock; null: nothing can run
  void run(const Command& command);

  std::mutex mutex_;
  std::condition_variable submitted_, done_;
  std::vector<std::unique_ptr<Queue>> queues_;
  PhiloxSequence random_;
  std::string error_;
  bool stop_ = false, abandoned_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cutset::simulated
