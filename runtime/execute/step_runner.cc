// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/step_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "runtime/execute/segment.h"

namespace cutset {

StepRunner::StepRunner(Devices& devices, Health& health, Workers& workers, Clock& clock)
    : devices_(devices),
      health_(health),
      workers_(workers),
      clock_(clock),
      current_(std::make_unique<Current[]>(devices.queues())) {
  for (size_t w = 0; w < devices.queues(); ++w) {
    const cutset_time_functions* time = devices.device(w / kQueues).api().time;
    uint64_t commands = 0;
    current_[w].counts = time && !time->progress(devices.queue(w), &commands);
  }
  report_stall_ = [](const std::string& text) { std::fprintf(stderr, "cutset: %s\n", text.c_str()); };
}

StepRunner::Outcome StepRunner::run(const Lists& compute, const Lists& apply, uint64_t step,
                                    const Vote& vote) {
  if (Status healthy = health_.healthy(); !healthy.ok()) return {healthy};
  if (trace_)
    if (Status status = set_anchors(); !status.ok()) return {status};
  const auto takes_part = [&](size_t w) { return !compute[w].empty() || !apply[w].empty(); };
  uint32_t queues = 0;
  for (size_t w = 0; w < devices_.queues(); ++w) queues += takes_part(w) ? 1 : 0;
  if (queues == 0) return {{}, !vote || vote()};
  compute_ = &compute;
  apply_ = &apply;
  vote_ = &vote;
  run_ = {.step = step, .epoch = health_.epoch(), .clock = &clock_, .peer_timeout = peer_timeout_};
  computing_ = running_ = queues;
  decision_ = kOpen;
  for (size_t w = 0; w < devices_.queues(); ++w)
    if (takes_part(w)) workers_.push(w, *this);
  wait_for_queues();
  // Queues may still run commands that were enqueued before the failure, and the caller may free their
  // memory.
  if (health_.failed())
    for (size_t d = 0; d < devices_.size(); ++d) devices_.device(d).drain();
  return {health_.healthy(), decision_ == kCommit};
}

void StepRunner::run(size_t worker) noexcept {
  run_part(worker, (*compute_)[worker]);
  arrive();
  if (const auto& list = (*apply_)[worker]; !list.empty()) {
    decision_.wait(kOpen);
    if (decision_ == kCommit) run_part(worker, list);
  }
  if (--running_ > 0) return;
  std::lock_guard lock(done_mutex_);  // otherwise the caller could miss the notification before it waits
  done_.notify_one();
}

// Notes that a queue has finished `compute`. The last queue takes the vote.
void StepRunner::arrive() {
  if (--computing_ > 0) return;
  decision_ = !health_.failed() && (!*vote_ || (*vote_)()) ? kCommit : kRefuse;
  decision_.notify_all();
}

void StepRunner::run_part(size_t worker, const std::vector<BoundCommand>& list) noexcept {
  if (list.empty()) return;
  Current& current = current_[worker];
  try {
    uint64_t done = 0;
    if (current.counts &&
        !devices_.device(worker / kQueues).api().time->progress(devices_.queue(worker), &done))
      current.before = done;
    current.index = 0;
    current.list.store(&list, std::memory_order_release);
    if (Status status = trace_ ? run_traced(worker, list) : run_list(worker, list); !status.ok())
      health_.fail(status.error());
  } catch (const std::bad_alloc&) {
    health_.fail_without_memory();
  }
  current.list.store(nullptr, std::memory_order_release);
}

Status StepRunner::run_list(size_t worker, const std::vector<BoundCommand>& list) {
  const OpenDevice& device = devices_.device(worker / kQueues);
  const cutset_queue queue = devices_.queue(worker);
  for (size_t i = 0; i < list.size(); i += list[i].segment ? list[i].segment->commands : 1) {
    current_[worker].index.store(i, std::memory_order_relaxed);
    CUTSET_TRY(list[i].segment ? run_segment(device, queue, std::span(list).subspan(i), run_)
                               : run_command(device, queue, list[i], run_));
  }
  return device.status(device.api().finish(queue));
}

// Polls for a short time before it blocks: a short step then ends without the cost of waking this thread.
void StepRunner::wait_for_queues() {
  constexpr int kPolls = 16;
  for (int i = 0; i < kPolls; ++i) {
    if (running_ == 0) return;
    std::this_thread::yield();
  }
  std::unique_lock lock(done_mutex_);
  while (!clock_.wait(done_, lock, clock_.after(stall_interval_), [&] { return running_ == 0; }))
    report_stall();
}

// Does not throw, because run() must not return while the queues run. The next report may succeed.
void StepRunner::report_stall() noexcept {
  try {
    report_stall_("step " + std::to_string(run_.step) + " has not ended in the last " +
                  std::to_string(std::chrono::round<std::chrono::seconds>(stall_interval_).count()) +
                  " s: " + where_queues_are());
  } catch (...) {
  }
}

void StepRunner::report_stalls(Clock::Time interval, std::function<void(const std::string&)> report) {
  stall_interval_ = interval;
  report_stall_ = std::move(report);
}

// A device that runs asynchronously runs a command later than its thread enqueues it. A bound command is one
// command of the device.
size_t StepRunner::index_of_current(size_t worker, const std::vector<BoundCommand>& list,
                                    size_t enqueued) const {
  const Current& current = current_[worker];
  uint64_t done = 0;
  if (!current.counts ||
      devices_.device(worker / kQueues).api().time->progress(devices_.queue(worker), &done))
    return enqueued;
  const uint64_t commands = done - current.before;
  // A trace adds two timestamps to each command and launches no segments.
  return std::min<size_t>(trace_ ? commands / 3 : command_after(list, commands), enqueued);
}

// A queue may begin another list while this function runs, so an index may belong to another list.
std::string StepRunner::where_queues_are() const {
  static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
  std::string s;
  for (size_t w = 0; w < devices_.queues(); ++w) {
    const auto* list = current_[w].list.load(std::memory_order_acquire);
    if (!list) continue;
    const size_t enqueued = std::min(current_[w].index.load(std::memory_order_relaxed), list->size() - 1);
    const size_t at = index_of_current(w, *list, enqueued);
    s += (s.empty() ? "" : "; ") + devices_.name(w / kQueues) + "'s " + kNames[w % kQueues] +
         " queue is at instruction " + std::to_string(at) + " of " + std::to_string(list->size());
    if (const Instruction* i = (*list)[at].source; i && !i->op().empty())
      s += ", '" + i->op() + "'" + (i->layer().empty() ? "" : " of " + i->layer()) +
           (i->source().empty() ? "" : " (" + i->source() + ")");
  }
  return s;
}

// The queues are idle, so a device reaches a timestamp at once, between two readings of the host's clock. The
// host may be late at a reading, so several timestamps are tried until the two readings are close.
Status StepRunner::set_anchors() {
  constexpr int kTried = 8;
  constexpr auto kClose = std::chrono::microseconds(20);
  anchors_.resize(devices_.size());
  for (size_t d = 0; d < devices_.size(); ++d) {
    OpenDevice& device = devices_.device(d);
    if (!device.api().time) continue;
    Anchor& anchor = anchors_[d];
    for (cutset_timestamp* stamp : {&anchor.stamp, &anchor.tried})
      if (!*stamp) {
        CUTSET_ASSIGN(*stamp, device.own().timestamp());
      }
    const cutset_queue queue = devices_.queue(d, Queue::kIn);
    auto closest = Trace::Clock::duration::max();
    for (int i = 0; i < kTried && closest > kClose; ++i) {
      const auto before = Trace::Clock::now();
      CUTSET_TRY(device.status(device.api().time->record(queue, anchor.tried)));
      CUTSET_TRY(device.status(device.api().finish(queue)));
      const auto between = Trace::Clock::now() - before;
      if (between >= closest) continue;
      closest = between;
      anchor.time = before + between / 2;
      std::swap(anchor.stamp, anchor.tried);
    }
  }
  return {};
}

Status StepRunner::run_traced(size_t worker, const std::vector<BoundCommand>& list) {
  OpenDevice& device = devices_.device(worker / kQueues);
  const cutset_time_functions* time = device.api().time;
  const cutset_queue queue = devices_.queue(worker);
  Current& current = current_[worker];
  if (time) {
    if (!current.timestamps) current.timestamps = std::make_unique<Handles>(device);
    while (current.stamps.size() < 2 * list.size()) {
      CUTSET_ASSIGN(const cutset_timestamp stamp, current.timestamps->timestamp());
      current.stamps.push_back(stamp);
    }
  }
  auto record = [&](size_t stamp) { return device.status(time->record(queue, current.stamps[stamp])); };
  std::vector<Trace::Event> events;
  events.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    current.index.store(i, std::memory_order_relaxed);
    events.push_back({list[i].source, run_.step, Trace::Clock::now(), {}});
    if (time) CUTSET_TRY(record(2 * i));
    CUTSET_TRY(run_command(device, queue, list[i], run_));
    if (time) CUTSET_TRY(record(2 * i + 1));
    if (!time) CUTSET_TRY(device.status(device.api().finish(queue)));
    events.back().end = Trace::Clock::now();
  }
  CUTSET_TRY(device.status(device.api().finish(queue)));
  auto time_of = [&](size_t stamp) -> Result<Trace::Clock::time_point> {
    double seconds = 0;
    const Anchor& anchor = anchors_[worker / kQueues];
    CUTSET_TRY(device.status(time->elapsed(anchor.stamp, current.stamps[stamp], &seconds)));
    return anchor.time +
           std::chrono::duration_cast<Trace::Clock::duration>(std::chrono::duration<double>(seconds));
  };
  for (size_t i = 0; i < events.size(); ++i) {
    if (time) {
      CUTSET_ASSIGN(events[i].start, time_of(2 * i));
      CUTSET_ASSIGN(events[i].end, time_of(2 * i + 1));
    }
    trace_->record(worker, events[i]);
  }
  return {};
}

}  // namespace cutset
