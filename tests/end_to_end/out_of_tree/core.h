// SPDX-License-Identifier: Apache-2.0
// A simulated core of the chip of toy.cc, with its memory and its queues.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "runtime/abi/cutset_device.h"
#include "runtime/abi/error.h"

namespace toy {
namespace abi = cutset::abi;

// The cores of a chip; the devices have the numbers 0 to 7.
constexpr int kCores = 8;
constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;  // the memory of a core
constexpr uint64_t kAlignment = 256;                  // the alignment of a buffer and of a slice, in bytes
constexpr unsigned char kNan = 0xff;                  // a number whose bytes are all 0xff is NaN

// The memory of a core. The handle of a buffer is the address of the buffer on the core. The addresses of a
// core begin at 2^52, where a process on the host has no memory, so a host that dereferences a handle
// crashes. Any thread may call the functions.
class Memory {
 public:
  Memory() : bytes_(static_cast<unsigned char*>(std::aligned_alloc(kAlignment, kMemoryBytes)), &std::free) {
    if (!bytes_) throw std::bad_alloc();
  }

  // Returns a buffer in the first gap that is large enough. The buffer holds NaN, so a program that reads
  // memory before it has written it computes NaN.
  cutset_buffer allocate(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    uint64_t address = kFirstAddress;
    for (const auto& [begin, size] : buffers_) {
      if (bytes <= kMemoryBytes && begin - address >= occupied(bytes)) break;
      address = begin + occupied(size);
    }
    if (bytes > kMemoryBytes || occupied(bytes) > kFirstAddress + kMemoryBytes - address)
      throw abi::Exception(CUTSET_OUT_OF_MEMORY, "cannot allocate " + std::to_string(bytes) + " bytes");
    buffers_.emplace(address, bytes);
    std::memset(bytes_.get() + (address - kFirstAddress), kNan, occupied(bytes));
    return reinterpret_cast<cutset_buffer>(address);
  }
  void free(cutset_buffer buffer) {
    std::lock_guard lock(mutex_);
    buffers_.erase(reinterpret_cast<uint64_t>(buffer));
  }
  // Returns the memory of a slice, or null if the slice has no buffer. Throws if the slice is not within a
  // buffer.
  unsigned char* find(const cutset_slice& slice) const {
    if (!slice.buffer) return nullptr;
    const auto address = reinterpret_cast<uint64_t>(slice.buffer);
    std::lock_guard lock(mutex_);
    const auto buffer = buffers_.find(address);
    if (buffer == buffers_.end() || slice.bytes > buffer->second ||
        slice.offset > buffer->second - slice.bytes)
      throw abi::Exception(CUTSET_INVALID_ARGUMENT, "the bytes " + std::to_string(slice.offset) + " to " +
                                                        std::to_string(slice.offset + slice.bytes) +
                                                        " do not lie in a buffer of this core");
    return bytes_.get() + (address - kFirstAddress) + slice.offset;
  }

 private:
  static constexpr uint64_t kFirstAddress = uint64_t{1} << 52;
  // An empty buffer occupies memory, too, so that each buffer has an address of its own.
  static uint64_t occupied(uint64_t bytes) {
    return (std::max<uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  }
  std::unique_ptr<unsigned char, decltype(&std::free)> bytes_;
  mutable std::mutex mutex_;              // guards buffers_
  std::map<uint64_t, uint64_t> buffers_;  // address of a buffer -> its size
};

class Queue;

// A device. The mutex guards the members below it, the events of the core, and the lists of commands of its
// queues.
struct Core {
  explicit Core(bool is_broken) : broken(is_broken) {}
  void abandon();
  void resume();

  const bool broken;  // relu.toy fails on this core
  Memory memory;
  std::mutex mutex;
  std::condition_variable_any changed;  // notified when what the mutex guards has changed
  std::set<Queue*> queues;
  bool abandoned = false;
};

struct Event {
  uint64_t value = 0;
};

// A command starts when the event `until` has at least the value `value`, or at once if there is no such
// event.
struct Command {
  std::function<void()> work;  // runs on the thread of the queue; throws if the command fails
  Event* until = nullptr;
  uint64_t value = 0;
};

// A queue runs its commands in order on a thread of its own. After a failure it drops all commands until
// `finish` has reported the failure.
class Queue {
 public:
  explicit Queue(Core& core) : core_(core), thread_([this](std::stop_token stop) { run(stop); }) {
    std::lock_guard lock(core_.mutex);
    core_.queues.insert(this);
  }
  // The destructor of thread_ ends the thread. The queue is idle then, as the ABI demands.
  ~Queue() {
    std::lock_guard lock(core_.mutex);
    core_.queues.erase(this);
  }

  Core& core() { return core_; }
  // Returns the memory of a slice of this queue's core.
  unsigned char* memory(const cutset_slice& slice) const { return core_.memory.find(slice); }

  void submit(Command command) {
    std::lock_guard lock(core_.mutex);
    if (error_) return;
    commands_.push_back(std::move(command));
    core_.changed.notify_all();
  }
  // Blocks until the queue is idle. Throws the error of a command that has failed, once.
  void finish() {
    std::unique_lock lock(core_.mutex);
    core_.changed.wait(lock, [&] { return idle(); });
    if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
  }

  // The caller of the following functions holds the mutex of the core.
  void forget_error() { error_ = nullptr; }
  bool idle() const { return commands_.empty() && !running_; }
  // Drops all commands that have not started. The next `finish` throws `error`, or an earlier one.
  void fail(const std::exception_ptr& error) {
    if (!error_) error_ = error;
    commands_.clear();
  }

 private:
  // An abandoned wait starts, too, and fails.
  bool can_start() const {
    if (commands_.empty()) return false;
    const Command& next = commands_.front();
    return !next.until || next.until->value >= next.value || core_.abandoned;
  }

  void run(std::stop_token stop) {
    std::unique_lock lock(core_.mutex);
    while (core_.changed.wait(lock, stop, [&] { return can_start(); })) {
      const Command command = std::move(commands_.front());
      commands_.pop_front();
      running_ = true;
      lock.unlock();
      std::exception_ptr error;
      try {
        command.work();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      running_ = false;
      // Commands of the other queues may wait for a command that was dropped, so a failure ends these queues,
      // too. After `abandon` there are no such commands, and the other queues may already copy variables to
      // the host.
      if (error)
        for (Queue* queue : core_.queues)
          if (queue == this || !core_.abandoned) queue->fail(error);
      core_.changed.notify_all();
    }
  }

  Core& core_;
  std::deque<Command> commands_;
  bool running_ = false;      // the thread runs a command
  std::exception_ptr error_;  // what the next finish() throws
  std::jthread thread_;       // declared last, because the thread uses all members above
};

inline void Core::abandon() {
  std::lock_guard lock(mutex);
  abandoned = true;
  const std::exception_ptr error = std::make_exception_ptr(abi::Abandoned());
  for (Queue* queue : queues)
    if (!queue->idle()) queue->fail(error);
  changed.notify_all();
}

// A queue whose last command failed after it was finished still has the error.
inline void Core::resume() {
  std::lock_guard lock(mutex);
  abandoned = false;
  for (Queue* queue : queues) queue->forget_error();
}

// Return the object of a handle.
inline Core* of(cutset_device d) { return reinterpret_cast<Core*>(d); }
inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }
inline Event* of(cutset_event e) { return reinterpret_cast<Event*>(e); }

}  // namespace toy
