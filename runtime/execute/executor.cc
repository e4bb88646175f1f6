#include "runtime/execute/executor.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "runtime/execute/segment.h"
#include "runtime/program/variable_pieces.h"

namespace cutset {

Result<std::unique_ptr<Executor>> Executor::open(const DeviceList& devices) {
  std::unique_ptr<Executor> executor(new Executor);
  for (const auto& description : devices) {
    CUTSET_ASSIGN(auto opened, OpenDevice::open(description));
    // The executor owns the device before anything refers to it, so that an exception releases both in the right order.
    OpenDevice& device = *executor->devices_.emplace_back(std::move(opened));
    executor->arenas_.push_back(std::make_unique<Arena>(device));
    for (int q = 0; q < kQueues; ++q) {
      CUTSET_ASSIGN(cutset_queue queue, device.queue());
      executor->queues_.push_back(queue);
    }
  }
  executor->current_ = std::make_unique<Current[]>(executor->queues_.size());
  for (size_t w = 0; w < executor->queues_.size(); ++w) {
    const cutset_time_functions* time = executor->devices_[w / kQueues]->api().time;
    uint64_t commands = 0;
    executor->current_[w].counts = time && !time->progress(executor->queues_[w], &commands);
  }
  executor->report_stall_ = [](const std::string& text) { std::fprintf(stderr, "cutset: %s\n", text.c_str()); };
  try {
    for (size_t w = 0; w < executor->queues_.size(); ++w)
      executor->workers_.emplace_back(&Executor::work, executor.get(), w);
  } catch (const std::system_error& e) {
    return unavailable(
        "cannot start a thread for each of " + std::to_string(executor->queues_.size()) + " queues: " + e.what(),
        "use fewer devices, or allow this process more threads");
  }
  return executor;
}

Executor::~Executor() {
  stop_ = true;
  ++generation_;
  generation_.notify_all();
  for (std::thread& t : workers_) t.join();
}

int Executor::index_of(const std::string& device) const {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i]->description().name() == device) return static_cast<int>(i);
  return kNone;
}

Status Executor::declare(const std::vector<Variable>& variables, const std::vector<std::string>& devices) {
  for (const Variable& v : variables) {
    std::vector<size_t> homes;
    for (int32_t home : v.homes) {
      const std::string& name = devices[static_cast<size_t>(home)];
      const int device = index_of(name);
      if (device == kNone)
        return execution_failed("variable '" + v.name + "' has its home on " + name + ", which is not open");
      homes.push_back(static_cast<size_t>(device));
    }
    auto it = variables_.find(v.name);
    if (it != variables_.end()) {
      const auto& [other, held] = it->second;
      const bool same = std::equal(homes.begin(), homes.end(), held.begin(), held.end(),
                                   [](size_t home, const Copy& c) { return home == c.device; }) &&
                        other.axis == v.axis && other.pieces == v.pieces && other.piece_unit == v.piece_unit;
      if (!same || other.type != v.type)
        return execution_failed("variable '" + v.name + "' was " + to_string(other.type) + " on " +
                                devices_[held[0].device]->description().name() + " and is now " + to_string(v.type) +
                                " on " + devices[static_cast<size_t>(v.homes[0])]);
      continue;
    }
    Held held{v, {}};
    for (size_t h = 0; h < homes.size(); ++h) {
      const auto bytes = static_cast<uint64_t>(type_at_home(v, h).bytes());
      CUTSET_ASSIGN(cutset_buffer buffer, devices_[homes[h]]->own().allocate(bytes));
      held.homes.push_back({homes[h], {buffer, 0, bytes}});
    }
    declared_.push_back(v.name);  // first, so that take_back() finds the variable even if the next line throws
    variables_[v.name] = std::move(held);
  }
  return {};
}

Executor::Mark Executor::mark() const {
  Mark mark{{}, declared_.size()};
  for (const auto& d : devices_) mark.devices.push_back(d->own().mark());
  return mark;
}

void Executor::take_back(const Mark& mark) {
  for (; declared_.size() > mark.variables; declared_.pop_back()) variables_.erase(declared_.back());
  for (size_t d = 0; d < devices_.size(); ++d) devices_[d]->own().take_back(mark.devices[d]);
}

Result<cutset_slice> Executor::variable_slice(const std::string& name, size_t device) {
  auto it = variables_.find(name);
  if (it == variables_.end()) return invalid_argument("no variable '" + name + "'");
  for (const Copy& c : it->second.homes)
    if (c.device == device) return c.slice;
  return execution_failed("variable '" + name + "' has no copy on " + devices_[device]->description().name());
}

Status Executor::write_variable(const std::string& name, const HostTensor& value) {
  CUTSET_TRY(healthy());
  auto it = variables_.find(name);
  if (it == variables_.end()) return invalid_argument("no variable '" + name + "'");
  const Variable& v = it->second.variable;
  if (v.type != value.type())
    return invalid_argument("variable '" + name + "' is " + to_string(v.type) + ", not " + to_string(value.type()));
  for (size_t h = 0; h < it->second.homes.size(); ++h) {
    const Copy& c = it->second.homes[h];
    OpenDevice& d = *devices_[c.device];
    cutset_queue queue = queues_[c.device * kQueues + static_cast<size_t>(Queue::kIn)];
    std::optional<HostTensor> piece;
    if (v.axis != kNone) {
      const auto [start, size] = range_at_home(v, h);
      piece = rows_of(value, v.axis, start, size);
    }
    // After a failure, the copies may differ, and a checkpoint may have been loaded only in part.
    try {
      const Status status = d.write_now(queue, c.slice, (piece ? *piece : value).data());
      if (status.ok()) continue;
      Failure broken = status.error();
      broken.what = "variable '" + name + "' could not be written: " + broken.what + "; the variables are not usable";
      broken.hint = "load a checkpoint, or start a new session";
      fail(broken);
      tear(broken);
      return broken;
    } catch (const std::bad_alloc&) {
      fail_without_memory();
      throw;
    }
  }
  return {};
}

size_t Executor::copies(const std::string& name) const {
  auto it = variables_.find(name);
  return it == variables_.end() ? 0 : it->second.homes.size() / static_cast<size_t>(it->second.variable.pieces);
}

Result<HostTensor> Executor::read_variable(const std::string& name, size_t copy) {
  if (torn_) return *torn_;
  auto it = variables_.find(name);
  if (it == variables_.end() || copy >= copies(name))
    return invalid_argument("no variable '" + name + "'" + (copy ? ", copy " + std::to_string(copy) : ""));
  const Variable& v = it->second.variable;
  HostTensor value(v.type);
  const auto pieces = static_cast<size_t>(v.pieces);
  for (size_t h = copy * pieces; h < (copy + 1) * pieces; ++h) {
    const Copy& c = it->second.homes[h];
    cutset_queue queue = queues_[c.device * kQueues + static_cast<size_t>(Queue::kOut)];
    if (v.axis == kNone) {
      CUTSET_TRY(devices_[c.device]->read_now(queue, c.slice, value.data()));
      continue;
    }
    HostTensor piece(type_at_home(v, h));
    CUTSET_TRY(devices_[c.device]->read_now(queue, c.slice, piece.data()));
    set_rows(value, v.axis, range_at_home(v, h).start, piece);
  }
  return value;
}

std::vector<std::string> Executor::variable_names() const {
  std::vector<std::string> names;
  for (const auto& [name, held] : variables_) names.push_back(name);
  return names;
}

Status Executor::healthy() {
  std::lock_guard lock(error_mutex_);
  return failed_ ? Status(error_) : Status();
}

Status Executor::execute(const std::vector<std::vector<BoundCommand>>& lists, uint64_t step) {
  CUTSET_TRY(healthy());
  if (trace_) CUTSET_TRY(set_anchors());
  lists_ = &lists;
  step_ = step;
  running_ = static_cast<uint32_t>(workers_.size());
  ++generation_;
  generation_.notify_all();
  wait_for_workers(step);
  // Queues may still run commands that were enqueued before the failure, and the caller may free their memory.
  if (failed())
    for (auto& d : devices_) d->drain();
  return healthy();
}

// Polls for a short time before it blocks: a short step then ends without the cost of waking this thread.
void Executor::wait_for_workers(uint64_t step) {
  constexpr int kPolls = 16;
  for (int i = 0; i < kPolls; ++i) {
    if (running_ == 0) return;
    std::this_thread::yield();
  }
  std::unique_lock lock(done_mutex_);
  const std::chrono::duration<double> stall(stall_seconds_);
  while (!done_.wait_for(lock, stall, [&] { return running_ == 0; })) report_stall(step);
}

// Does not throw, because execute() must not return while the workers run. The next report may succeed.
void Executor::report_stall(uint64_t step) noexcept {
  try {
    report_stall_("step " + std::to_string(step) + " has not ended in the last " +
                  std::to_string(std::lround(stall_seconds_)) + " s: " + where_queues_are());
  } catch (...) {
  }
}

void Executor::report_stalls(double seconds, std::function<void(const std::string&)> report) {
  stall_seconds_ = seconds, report_stall_ = std::move(report);
}

// A device that runs asynchronously is behind the thread that enqueues its commands. A bound command is one command of the device.
size_t Executor::index_of_current(size_t worker, size_t enqueued) const {
  const Current& current = current_[worker];
  uint64_t done = 0;
  if (!current.counts || devices_[worker / kQueues]->api().time->progress(queues_[worker], &done)) return enqueued;
  const uint64_t commands = done - current.before;
  // A trace adds two timestamps to each command and launches no segments.
  return std::min<size_t>(trace_ ? commands / 3 : command_after((*lists_)[worker], commands), enqueued);
}

std::string Executor::where_queues_are() const {
  static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
  std::string s;
  for (size_t w = 0; w < queues_.size(); ++w) {
    const BoundCommand* a = current_[w].command.load(std::memory_order_acquire);
    if (!a) continue;
    const size_t at = index_of_current(w, static_cast<size_t>(a - (*lists_)[w].data()));
    a = &(*lists_)[w][at];
    s += (s.empty() ? "" : "; ") + devices_[w / kQueues]->description().name() + "'s " + kNames[w % kQueues] +
         " queue is at instruction " + std::to_string(at) + " of " + std::to_string((*lists_)[w].size());
    if (a->source && !a->source->op.empty())
      s += ", '" + a->source->op + "'" + (a->source->layer.empty() ? "" : " of " + a->source->layer) +
           (a->source->source.empty() ? "" : " (" + a->source->source + ")");
  }
  return s;
}

void Executor::work(size_t worker) {
  pthread_setname_np(pthread_self(), "cutset-queue");
  for (uint64_t seen = 0;;) {
    generation_.wait(seen);
    seen = generation_;
    if (stop_) return;
    try {
      if (Status status = run_list(worker); !status.ok()) fail(status.error());
    } catch (const std::bad_alloc&) {
      fail_without_memory();
    }
    current_[worker].command.store(nullptr, std::memory_order_release);
    if (--running_ > 0) continue;
    std::lock_guard lock(done_mutex_);  // otherwise execute() could miss the notification before it waits
    done_.notify_one();
  }
}

Status Executor::run_list(size_t worker) {
  const OpenDevice& device = *devices_[worker / kQueues];
  cutset_queue queue = queues_[worker];
  const auto& list = (*lists_)[worker];
  if (uint64_t done = 0; current_[worker].counts && !device.api().time->progress(queue, &done))
    current_[worker].before = done;
  if (trace_) return run_traced(worker);
  for (size_t i = 0; i < list.size(); i += list[i].segment ? list[i].segment->commands : 1) {
    current_[worker].command.store(&list[i], std::memory_order_relaxed);
    CUTSET_TRY(list[i].segment ? run_segment(device, queue, std::span(list).subspan(i), step_)
                               : run_command(device, queue, list[i], step_));
  }
  return list.empty() ? Status() : device.status(device.api().finish(queue));
}

// The queues are idle, so the device reaches the timestamp at once.
Status Executor::set_anchors() {
  anchors_.resize(devices_.size());
  for (size_t d = 0; d < devices_.size(); ++d) {
    OpenDevice& device = *devices_[d];
    if (!device.api().time) continue;
    if (!anchors_[d].stamp) {
      CUTSET_ASSIGN(anchors_[d].stamp, device.own().timestamp());
    }
    const cutset_queue queue = queues_[d * kQueues];
    CUTSET_TRY(device.status(device.api().time->record(queue, anchors_[d].stamp)));
    CUTSET_TRY(device.status(device.api().finish(queue)));
    anchors_[d].time = Trace::Clock::now();
  }
  return {};
}

Status Executor::run_traced(size_t worker) {
  OpenDevice& device = *devices_[worker / kQueues];
  const cutset_time_functions* time = device.api().time;
  const cutset_queue queue = queues_[worker];
  const auto& list = (*lists_)[worker];
  Current& current = current_[worker];
  if (list.empty()) return {};
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
    current.command.store(&list[i], std::memory_order_relaxed);
    events.push_back({list[i].source, step_, Trace::Clock::now(), {}});
    if (time) CUTSET_TRY(record(2 * i));
    CUTSET_TRY(run_command(device, queue, list[i], step_));
    if (time) CUTSET_TRY(record(2 * i + 1));
    if (!time) CUTSET_TRY(device.status(device.api().finish(queue)));
    events.back().end = Trace::Clock::now();
  }
  CUTSET_TRY(device.status(device.api().finish(queue)));
  auto time_of = [&](size_t stamp) -> Result<Trace::Clock::time_point> {
    double seconds = 0;
    const Anchor& anchor = anchors_[worker / kQueues];
    CUTSET_TRY(device.status(time->elapsed(anchor.stamp, current.stamps[stamp], &seconds)));
    return anchor.time + std::chrono::duration_cast<Trace::Clock::duration>(std::chrono::duration<double>(seconds));
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

bool Executor::failed() {
  std::lock_guard lock(error_mutex_);
  return failed_;
}

Failure Executor::no_memory() {
  return execution_failed(
      "a step failed, and the host has no memory to describe the failure; the variables are not usable",
      "load a checkpoint, or start a new session");
}

void Executor::fail_without_memory() noexcept {
  std::lock_guard lock(error_mutex_);
  if (!torn_) torn_.emplace(std::move(torn_out_of_memory_));
  if (failed_) return;
  failed_ = true;
  error_ = std::move(out_of_memory_);
  abandon();
}

void Executor::fail(Failure error) {
  std::lock_guard lock(error_mutex_);
  if (failed_) return;  // later failures are consequences of the first one
  failed_ = true;
  error_ = std::move(error);
  abandon();
}

void Executor::abandon() {
  for (auto& d : devices_) d->abandon();
  for (Mailbox* m : mailboxes_) m->abandon();
  for (AllReduce* s : sums_) s->abandon();
}

}  // namespace cutset
