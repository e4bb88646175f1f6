// SPDX-License-Identifier: Apache-2.0
// Threads that run tasks. Each thread has its own FIFO. A task that is pushed to one thread waits neither for
// the tasks of another thread nor for the thread that pushes it.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// A task of a thread. Its owner must keep it until it has run.
class Task {
 public:
  // `worker` is the number of the thread. Several threads may run the same task at the same time.
  virtual void run(size_t worker) noexcept = 0;

 protected:
  ~Task() = default;
};

// One thread at a time may push tasks and destroy the object.
class Workers {
 public:
  // Starts `number` threads. Fails if the system refuses one of them.
  static Result<std::unique_ptr<Workers>> start(size_t number);
  // Waits until all tasks have run, and ends the threads.
  ~Workers();
  Workers(const Workers&) = delete;

  // Appends a task to the FIFO of a worker, and allocates no memory. Blocks while kDepth tasks are in the
  // FIFO.
  void push(size_t worker, Task& task) { push(worker, &task); }

  static constexpr uint32_t kDepth = 8;

 private:
  Workers() = default;
  // Each FIFO has its own cache lines.
  struct alignas(64) Fifo {
    Task* tasks[kDepth];
    std::atomic<uint32_t> pushed{0}, taken{0};  // the counts of tasks so far; both may overflow
  };
  void push(size_t worker, Task* task);  // null: the thread ends
  void work(size_t worker);

  std::unique_ptr<Fifo[]> fifos_;  // by worker
  std::vector<std::thread> threads_;
};

}  // namespace cutset
