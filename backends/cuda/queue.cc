// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/queue.h"

#include <chrono>
#include <thread>

namespace cutset::cuda {
namespace {

// Returns the queues that have been released and whose kept commands have not run. The lock guards them.
std::deque<Queue*>& released() {
  static auto* const queues = new std::deque<Queue*>;
  return *queues;
}

}  // namespace

Queue::Queue(Device& device) : device_(device) {
  const Current current(device_);
  CUTSET_CUDA(make_stream, &stream_, kStreamNonBlocking);
}

// An error of the driver is reported by the next call that can fail.
Queue::~Queue() {
  [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
    const Current current(device_);
    if (recorder_) driver().release_stream(recorder_);
    driver().release_stream(stream_);
  });
}

std::mutex& Queue::lock() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

bool Queue::keep(Command command) {
  const std::lock_guard guard(lock());
  throw_failure();
  if (state_ == State::kOpen) return false;
  kept_.push_back(std::move(command));
  return true;
}

void Queue::submit_collective(const Command& command) {
  const std::lock_guard guard(lock());
  throw_failure();
  if (state_ == State::kHeld) return kept_.push_back(command);
  const auto run_others = [](int*) { run_released(); };
  int used = 0;
  const std::unique_ptr<int, decltype(run_others)> at_the_end(&used, run_others);  // even after an exception
  run(command, stream_);
}

void Queue::release() {
  blocked_ = false;
  released().push_back(this);
}

void Queue::run_released() {
  while (!released().empty()) {
    Queue* const queue = released().front();
    released().pop_front();
    queue->run_kept();
  }
}

void Queue::run_kept() {
  if (state_ == State::kFailed) return;
  try {
    while (!blocked_ && !kept_.empty()) {
      const Command command = std::move(kept_.front());
      kept_.pop_front();
      run(command, stream_);
    }
    if (blocked_) return;
    state_.store(State::kOpen, std::memory_order_release);
    changed_.notify_all();
  } catch (const abi::Exception& e) {
    fail(e);
  } catch (const std::exception& e) {
    fail({CUTSET_FAILED, e.what()});
  }
}

void Queue::fail(const abi::Exception& error) {
  kept_.clear();
  blocked_ = false;
  failure_ = std::make_unique<abi::Exception>(error);
  state_ = State::kFailed;
  changed_.notify_all();
}

void Queue::throw_failure() {
  if (state_ == State::kFailed) throw abi::Exception(*failure_);
}

void Queue::watch(const std::shared_ptr<Watched>& work) {
  for (const auto& known : watched_)
    if (known.lock() == work) return;
  watched_.push_back(work);
}

void Queue::refuse_recording(const char* function) const {
  if (recording_)
    throw abi::Exception(CUTSET_UNSUPPORTED, std::string(function) +
                                                 " cannot be recorded: a capture consists of kernels "
                                                 "and of copies on the device");
}

void Queue::begin() {
  refuse_recording("begin");
  const Current current(device_);
  if (!recorder_) CUTSET_CUDA(make_stream, &recorder_, kStreamNonBlocking);
  CUTSET_CUDA(begin_capture, recorder_, kCaptureThreadLocal);
  recording_ = true;
}
Graph Queue::end() {
  const Current current(device_);
  recording_ = false;
  Graph graph = nullptr;
  CUTSET_CUDA(end_capture, recorder_, &graph);
  return graph;
}

void Queue::finish() {
  refuse_recording("finish");
  std::unique_ptr<abi::Exception> failure;
  std::vector<std::weak_ptr<Watched>> watched;
  {
    std::unique_lock guard(lock());
    changed_.wait(guard, [&] { return state_ != State::kHeld; });
    failure = std::move(failure_);
    watched.swap(watched_);
    state_ = State::kOpen;
  }
  const Current current(device_);
  if (!watched.empty()) finish_watched(watched, failure);
  const Status status = driver().finish_stream(stream_);
  if (failure) throw abi::Exception(*failure);
  cuda::check(status, DriverNames::finish_stream);
}

// The stream may wait for work that has failed. It then ends only after check() has ended this work.
void Queue::finish_watched(const std::vector<std::weak_ptr<Watched>>& watched,
                           std::unique_ptr<abi::Exception>& failure) {
  for (bool runs = true; runs;) {
    runs = driver().query_stream(stream_) == kNotReady;
    for (const auto& known : watched) try {
        if (const auto work = known.lock()) work->check();
      } catch (const abi::Exception& e) {
        if (!failure) failure = std::make_unique<abi::Exception>(e);
      }
    if (runs) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

}  // namespace cutset::cuda
