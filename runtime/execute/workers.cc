// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/workers.h"

#include <pthread.h>

#include <system_error>

namespace cutset {

Result<std::unique_ptr<Workers>> Workers::start(size_t number) {
  std::unique_ptr<Workers> all(new Workers);
  all->fifos_ = std::make_unique<Fifo[]>(number);
  all->threads_.reserve(number);
  try {
    for (size_t w = 0; w < number; ++w) all->threads_.emplace_back(&Workers::work, all.get(), w);
  } catch (const std::system_error& e) {
    return unavailable("cannot start a thread for each of " + std::to_string(number) + " queues: " + e.what(),
                       "use fewer devices, or allow this process more threads");
  }
  return all;
}

Workers::~Workers() {
  for (size_t w = 0; w < threads_.size(); ++w) push(w, nullptr);
  for (std::thread& t : threads_) t.join();
}

void Workers::push(size_t worker, Task* task) {
  Fifo& fifo = fifos_[worker];
  const uint32_t number = fifo.pushed.load(std::memory_order_relaxed);
  for (uint32_t taken; number - (taken = fifo.taken.load(std::memory_order_acquire)) == kDepth;)
    fifo.taken.wait(taken);
  fifo.tasks[number % kDepth] = task;
  fifo.pushed.store(number + 1, std::memory_order_release);
  fifo.pushed.notify_one();
}

void Workers::work(size_t worker) {
  pthread_setname_np(pthread_self(), "cutset-queue");
  Fifo& fifo = fifos_[worker];
  for (uint32_t number = 0;; ++number) {
    fifo.pushed.wait(number, std::memory_order_acquire);
    Task* const task = fifo.tasks[number % kDepth];
    fifo.taken.store(number + 1, std::memory_order_release);
    fifo.taken.notify_one();
    if (!task) return;
    task->run(worker);
  }
}

}  // namespace cutset
