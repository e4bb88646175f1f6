#include "backends/simulated/device.h"

#include <algorithm>

namespace cutset::simulated {

Device::Device(const cutset_device_info& info)
    : info_(info), random_(info.seed, static_cast<uint64_t>(info.index) + 1), thread_([this] { work(); }) {}

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
  queues_.push_back(std::make_unique<Queue>(Queue{this, {}, false, {}}));
  return queues_.back().get();
}

void Device::remove_queue(Queue* queue) {
  std::lock_guard lock(mutex_);
  std::erase_if(queues_, [&](const auto& q) { return q.get() == queue; });
}

void Device::submit(Queue* queue, const Command& command) {
  {
    std::lock_guard lock(mutex_);
    if (dead()) return;
    queue->commands.push_back(command);
    if (info_.timed) queue->commands.back().submitted = std::chrono::steady_clock::now();
  }
  submitted_.notify_one();
}

bool Device::idle(const Queue& queue) const { return queue.commands.empty() && !queue.running; }

std::string Device::finish(Queue* queue) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return idle(*queue); });
  if (info_.timed) done_.wait_until(lock, queue->clock, [&] { return dead(); });
  if (!error_.empty()) return error_;
  return abandoned_ ? "abandoned: the step failed on another device or queue" : "";
}

void Device::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  drop_all();
}

void Device::drop_all() {
  for (auto& q : queues_) q->commands.clear();
  done_.notify_all();
}

Time Device::start_of(const Queue& queue) {
  const Command& head = queue.commands.front();
  Time start = std::max(queue.clock, head.submitted);
  return head.kind == Command::Kind::kWait ? std::max(start, head.event->when) : start;
}

Queue* Device::pick(Time now, Time& next) {
  constexpr size_t kMostReady = 64;
  Queue* ready[kMostReady];
  size_t count = 0;
  next = Time::max();
  for (auto& q : queues_) {
    if (q->commands.empty() || count == kMostReady) continue;
    const Command& head = q->commands.front();
    if (head.kind == Command::Kind::kWait && head.event->value < head.value) continue;
    if (const Time start = start_of(*q); info_.timed && start > now)
      next = std::min(next, start);
    else
      ready[count++] = q.get();
  }
  return count ? ready[random_.below(count)] : nullptr;
}

double Device::seconds_of(const Command& c) const {
  const auto bytes = static_cast<double>(c.bytes);
  switch (c.kind) {
    case Command::Kind::kKernel:
      return c.instance->seconds;
    case Command::Kind::kWrite:
    case Command::Kind::kRead:
      return info_.link_seconds + bytes / info_.link_bytes_per_second;
    case Command::Kind::kCopy:
      return info_.launch_seconds + 2 * bytes / info_.bytes_per_second;
    case Command::Kind::kSignal:
    case Command::Kind::kWait:
      return 0;
  }
  return 0;
}

void Device::work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    Time next;
    Queue* queue = pick(info_.timed ? std::chrono::steady_clock::now() : Time(), next);
    if (!queue) {
      if (next == Time::max())
        submitted_.wait(lock);
      else
        submitted_.wait_until(lock, next);
      continue;
    }
    const Time start = start_of(*queue);
    const Command command = queue->commands.front();
    queue->commands.pop_front();
    if (info_.timed)
      queue->clock =
          start + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds_of(command)));
    if (command.kind == Command::Kind::kSignal)
      command.event->value = std::max(command.event->value, command.value), command.event->when = queue->clock;
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
      if (const char* e = c.instance->kernel.run()) {
        std::lock_guard lock(mutex_);
        if (error_.empty()) error_ = e;
        drop_all();
      }
      return;
    case Command::Kind::kSignal:
    case Command::Kind::kWait:
      return;
  }
}

}  // namespace cutset::simulated
