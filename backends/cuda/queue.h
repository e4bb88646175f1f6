// SPDX-License-Identifier: Apache-2.0
// The queues of the ABI: streams, and the commands that cannot be submitted to their stream yet.
//
// A sum over devices is submitted for all members at once, when the last one has arrived (nccl/group.h). CUDA
// has no command that lets a stream wait for something that is submitted later, and a sum must not block a
// host thread that has still to enqueue the sums of other members. A wait for an event still blocks the
// thread until its signal is submitted: a host with one thread enqueues a sum for all members before it waits
// for an event that is signalled behind the sum. A queue that waits for other members is therefore held: its
// later commands are kept and are submitted in order when the last member has arrived, by the thread of that
// member. A queue that is not held submits its commands at once and takes no lock.
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
  // Throws abi::Exception if the work has failed, and ends what still runs of it.
  virtual void check() = 0;
};

class Queue {
 public:
  using Command = std::function<void(Stream)>;

  explicit Queue(Device& device);
  ~Queue();
  Queue(const Queue&) = delete;
  Device& device() const { return device_; }

  // Calls `command(stream)` with the context of the device, now, or later in the thread of another queue if
  // this queue is held. The command must not block for anything that has not been submitted. Throws what the
  // command throws. The error of a command that runs later is thrown by the next call, at the latest by
  // finish(), and the commands behind it are dropped.
  template <class F>
  void submit(const F& command) {
    if (recording_) return run(command, recorder_);
    if (state_.load(std::memory_order_acquire) == State::kOpen || !keep(command)) run(command, stream_);
  }
  // Whether submit() may call a command after it has returned.
  bool is_held() const { return !recording_ && state_.load(std::memory_order_acquire) != State::kOpen; }

  // Begin and end a capture. The commands of a capture go to a stream of their own and are never kept.
  void begin();
  Graph end();
  // Fails while the queue records a capture, in which only kernels and copies on the device may appear.
  void refuse_recording(const char* function) const;

  // Blocks until the queue is not held and its stream has finished. Throws the error of a command that has
  // failed, once.
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
  // Lets the next finish() check the work until the stream has finished. The queue does not keep it alive.
  void watch(const std::shared_ptr<Watched>& work);

 private:
  enum class State { kOpen, kHeld, kFailed };  // kHeld: commands are kept, or the next one will be

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
  bool blocked_ = false;  // by the command that has called hold()
  std::deque<Command> kept_;
  std::unique_ptr<abi::Exception> failure_;
  std::vector<std::weak_ptr<Watched>> watched_;
  std::condition_variable changed_;
};

inline Queue* of(cutset_queue q) { return reinterpret_cast<Queue*>(q); }

}  // namespace cutset::cuda
