// SPDX-License-Identifier: Apache-2.0
#include "backends/simulated/device.h"

#include <algorithm>
#include <utility>

namespace cutset::simulated {

Device::Device(const cutset_device_info& info)
    : info_(info),
      faults_(info.index),
      random_(info.seed, static_cast<uint64_t>(info.index) + 1),
      thread_([this] { work(); }) {}

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
  queues_.push_back(std::make_unique<Queue>(Queue{this}));
  return queues_.back().get();
}

void Device::remove_queue(Queue* queue) {
  std::lock_guard lock(mutex_);
  std::erase_if(queues_, [&](const auto& q) { return q.get() == queue; });
}

[[noreturn]] static void refuse() {
  throw abi::Exception(CUTSET_UNSUPPORTED, "a capture can contain only kernels and copies within the device");
}

void Device::refuse_recording(const Queue* queue) {
  std::lock_guard lock(mutex_);
  if (queue->recording) refuse();
}

void Device::submit(Queue* queue, Command command) {
  {
    std::lock_guard lock(mutex_);
    if (queue->recording) {
      if (!command.recordable) refuse();
      queue->recording->commands.push_back(std::move(command));
      return;
    }
    if (queue->error.text) return;
    if (info_.timed) command.submitted = std::chrono::steady_clock::now();
    queue->commands.push_back(std::move(command));
  }
  submitted_.notify_one();
}

void Device::begin(Queue* queue) {
  std::lock_guard lock(mutex_);
  if (queue->recording) throw abi::Exception(CUTSET_INVALID_ARGUMENT, "the queue is being recorded already");
  queue->recording = std::make_unique<Capture>();
}

std::unique_ptr<Capture> Device::end(Queue* queue) {
  std::lock_guard lock(mutex_);
  if (!queue->recording) throw abi::Exception(CUTSET_INVALID_ARGUMENT, "the queue is not being recorded");
  return std::move(queue->recording);
}

void Device::finish(Queue* queue) {
  std::unique_lock lock(mutex_);
  ++queue->waiting;
  done_.wait(lock, [&] { return queue->commands.empty() && !queue->running; });
  --queue->waiting;
  if (info_.timed) done_.wait_until(lock, queue->clock, [&] { return abandoned_ || queue->error.text; });
  if (const Error error = std::exchange(queue->error, {}); error.text)
    throw abi::Exception(error.code, *error.text);
}

void Device::abandon() noexcept {
  {
    std::lock_guard lock(mutex_);
    abandoned_ = true;
    for (auto& q : queues_)
      if (!q->commands.empty() || q->running) fail(*q, abandoned_error_);
  }
  submitted_.notify_all();
}

// The last command may have failed after some queues were finished. These queues then have an error.
void Device::resume() {
  std::lock_guard lock(mutex_);
  abandoned_ = false;
  for (auto& q : queues_) q->error = {};
}

uint64_t Device::progress(const Queue* queue) {
  std::lock_guard lock(mutex_);
  // On a timed device, the effect of a command is visible when its time begins, and the command is done when
  // its time has passed.
  const bool in_time =
      info_.timed && queue->counted && queue->done > 0 && queue->clock > std::chrono::steady_clock::now();
  return queue->done - (in_time ? 1 : 0);
}

bool Device::is_abandoned() {
  std::lock_guard lock(mutex_);
  return abandoned_;
}

void Device::poke() {
  {
    std::lock_guard lock(mutex_);
  }
  submitted_.notify_one();
}

void Device::fail(Queue& queue, const Error& error) noexcept {
  if (!queue.error.text) queue.error = error;
  queue.commands.clear();
  done_.notify_all();
}

Time Device::start_of(const Queue& queue) {
  const Command& head = queue.commands.front();
  const Time start = std::max(queue.clock, head.submitted);
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
    if (head.kind == Command::Kind::kWait && head.event->value < head.value) {
      if (abandoned_) fail(*q, abandoned_error_);
      continue;
    }
    if (head.ready && !head.ready()) {
      if (abandoned_) fail(*q, abandoned_error_);
      continue;
    }
    if (const Time start = start_of(*q); info_.timed && start > now)
      next = std::min(next, start);
    else
      ready[count++] = q.get();
  }
  return count ? ready[random_.below(count)] : nullptr;
}

void Device::apply(Queue& queue, const Command& c) {
  if (c.kind == Command::Kind::kSignal) {
    c.event->value = std::max(c.event->value, c.value);
    c.event->when = queue.clock;
  }
  if (c.kind == Command::Kind::kTimestamp)
    c.stamp->when = info_.timed ? queue.clock : std::chrono::steady_clock::now();
}

Error Device::run(const Command& command) noexcept {
  const cutset_error* e = abi::guard(command.work);
  if (!e) return {};
  try {
    return {static_cast<cutset_code>(e->code), std::make_shared<std::string>(e->message)};
  } catch (const std::bad_alloc&) {
    return out_of_memory_;
  }
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
    // A command that depends on other devices cannot have started before it was ready.
    const bool depends = static_cast<bool>(queue->commands.front().ready);
    const Time start =
        depends ? std::max(start_of(*queue), std::chrono::steady_clock::now()) : start_of(*queue);
    const Command command = std::move(queue->commands.front());
    queue->commands.pop_front();
    if (info_.timed)
      queue->clock =
          start + std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(command.seconds));
    apply(*queue, command);
    if (command.kind == Command::Kind::kWork) {
      queue->running = true;
      lock.unlock();
      const Error error = run(command);
      lock.lock();
      queue->running = false;
      if (error.text)
        for (auto& q : queues_) fail(*q, error);
    }
    queue->counted = command.counts;
    if (command.counts) ++queue->done;
    if (queue->commands.empty() && queue->waiting > 0) {
      lock.unlock();  // otherwise, the thread that wakes up would wait for the lock at once
      done_.notify_all();
      lock.lock();
    }
  }
}

}  // namespace cutset::simulated
