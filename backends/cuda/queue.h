// SPDX-License-Identifier: Apache-2.0
// The queues of the ABI: streams, and the commands that cannot be submitted to their stream yet.
//
// A sum over devices is submitted for all members at once, when the last member has arrived (nccl/group.h).
// CUDA has no command that lets a stream wait for something that is submitted later, and a sum must not block
// a host thread that has still to enqueue the sums of other members. A queue that waits for other members is
// therefore held: its later commands are kept. The thread of the last member that arrives submits them in
// order. A queue that is not held submits its commands at once and takes no lock.
//
// A wait for an event still blocks the thread until the signal has been submitted. A host with one thread
// therefore enqueues a sum for all members before it waits for an event that is signalled after the sum.
//
// Commands are thus submitted to CUDA only when everything that they wait for has been submitted. Streams
// therefore cannot wait for each other in a cycle.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/device.h"

namespace cutset::cuda {

// Work of a library on a stream that can fail without an error of the stream.
struct Watched {
  virtual ~Watched() = default;
  // Throws abi::Exception if the work has failed, and ends the part of it that still runs.
  virtual void check() = 0;
};

class Queue {
 public:
  using Command = std::function<void(Stream)>;

  explicit Queue(Device& device);
  ~Queue();
  Queue(const Queue&) = delete;
  Device& device() const { return device_; }

  // Calls `command(stream)` with the context of the device: at once, or, if this queue is held, later in the
  // thread of another queue. The command must not block for anything that has not been submitted. An
  // exception of a command that runs at once leaves this call. An exception of a command that runs later
  // leaves the next call, at the latest finish(), and the commands after it are dropped.
  template <class F>
  void submit(const F& command) {
    if (recording_) return run(command, recorder_);
    if (state_.load(std::memory_order_acquire) == State::kOpen || !keep(command)) run(command, stream_);
  }
  // Whether a command that is submitted now may run after submit() has returned.
  bool is_held() const { return !recording_ && state_.load(std::memory_order_acquire) != State::kOpen; }

  // Begin and end a capture. The commands of a capture go to a separate stream and are never kept.
  void begin();
  Graph end();
  // Fails while the queue records a capture, in which only kernels and copies on the device may appear.
  void refuse_recording(const char* function) const;

  // Blocks until the queue is not held and its stream has finished. Throws the error of a command that has
  // failed. Each error is thrown once.
  void finish();

  // The functions for commands that hold queues. The caller holds the lock, except for submit_collective().
  static std::mutex& lock();
  // Like submit(), but the command runs with the lock, and may hold its own queue and release others.
  void submit_collective(const Command& command);
  // Keeps the later commands of the queue.
  void hold() {
    state_ = State::kHeld;
    blocked_ = true;
  }
  // Lets the kept commands run when the command that has called release() returns, or in run_released().
  void release();
  static void run_released();
  // Ends the hold with an error.
  void fail(const abi::Exception& error);
  // Lets the next finish() check the work until the stream has finished. The queue does not keep the work
  // alive.
  void watch(const std::shared_ptr<Watched>& work);

 private:
  enum class State { kOpen, kHeld, kFailed };  // kHeld: commands are kept, or the next command will be

  template <class F>
  void run(const F& command, Stream stream) {
    const Current current(device_);
    command(stream);
  }
  bool keep(Command command);  // Returns false if the queue is open.
  void run_kept();
  void throw_failure();
  void finish_watched(const std::vector<std::weak_ptr<Watched>>& watched,
                      std::unique_ptr<abi::Exception>& failure);

  Device& device_;
  Stream stream_ = nullptr, recorder_ = nullptr;
  bool recording_ = false;
  std::atomic<State> state_ = State::kOpen;

  // guarded by lock()
  bool blocked_ = false;  // a command has called hold(), and release() has not been called since
  std::deque<Command> kept_;
  std::unique_ptr<abi::Exception> failure_;
  std::vector<std::weak_ptr<Watched>> watched_;
  std::condition_variable changed_;
};

inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }

}  // namespace cutset::cuda
