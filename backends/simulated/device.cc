#include "backends/simulated/device.h"

#include <algorithm>

#include "runtime/abi/loop_kernel.h"

namespace cutset::simulated {

Device::Device(const cutset_device_info& info)
    : random_(info.seed, static_cast<uint64_t>(info.index) + 1), thread_([this] { work(); }) {}

Device::~Device() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  submitted_.notify_all();
  thread_.join();
}

Queue* Device::add_queue() {
  std::lock_guard lock(mutex_);
  queues_.push_back(std::make_unique<Queue>(Queue{this, {}, false}));
  return queues_.back().get();
}

void Device::remove_queue(Queue* queue) {
  std::lock_guard lock(mutex_);
  std::erase_if(queues_, [&](const auto& q) { return q.get() == queue; });
}

void Device::submit(Queue* queue, const Command& command) {
  {
    std::lock_guard lock(mutex_);
    queue->commands.push_back(command);
  }
  submitted_.notify_one();
}

std::string Device::finish(Queue* queue) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return (queue->commands.empty() && !queue->running) || abandoned_ || !error_.empty(); });
  if (!error_.empty()) return error_;
  return queue->commands.empty() && !queue->running ? "" : "abandoned: the step failed elsewhere";
}

void Device::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  for (auto& q : queues_) q->commands.clear();
  done_.notify_all();
}

Queue* Device::pick() {
  Queue* ready[64];
  size_t count = 0;
  for (auto& q : queues_) {
    if (q->commands.empty() || count == 64) continue;
    const Command& head = q->commands.front();
    if (head.kind == Command::Kind::kWait && head.event->value < head.value) continue;
    ready[count++] = q.get();
  }
  return count ? ready[random_.below(count)] : nullptr;
}

void Device::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Queue* queue = nullptr;
    submitted_.wait(lock, [&] { return stop_ || (queue = pick()) != nullptr; });
    if (stop_) return;
    const Command command = queue->commands.front();
    queue->commands.pop_front();
    if (command.kind == Command::Kind::kSignal) command.event->value = std::max(command.event->value, command.value);
    if (command.kind != Command::Kind::kSignal && command.kind != Command::Kind::kWait) {
      queue->running = true;
      lock.unlock();
      run(command);
      lock.lock();
      queue->running = false;
    }
    done_.notify_all();
  }
}

void Device::run(const Command& c) {
  if (c.kind != Command::Kind::kKernel && c.bytes == 0) return;  // an empty tensor may have no address
  switch (c.kind) {
    case Command::Kind::kWrite:
      std::memcpy(c.to->data(), c.source, c.bytes);
      return;
    case Command::Kind::kRead:
      std::memcpy(c.target, c.from->data(), c.bytes);
      return;
    case Command::Kind::kCopy:
      std::memmove(c.to->data(), c.from->data(), c.bytes);
      return;
    case Command::Kind::kKernel:
      if (const char* e = abi::run_loop(c.instance->problem, c.instance->in.data(), c.instance->out.data())) {
        std::lock_guard lock(mutex_);
        if (error_.empty()) error_ = e;
      }
      return;
    case Command::Kind::kSignal:
    case Command::Kind::kWait:
      return;
  }
}

}  // namespace cutset::simulated
