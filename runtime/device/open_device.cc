// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/open_device.h"

#include <new>
#include <utility>

#include "ir/core/scope_exit.h"

namespace cutset {

// The alignment of host memory of devices without the table `memory`.
static constexpr std::align_val_t kHostAlignment{64};

// Fails if a function of the ABI has reported success and returned a null handle.
static Status check_not_null(const DeviceDescription& device, const void* handle, const char* function,
                             const char* what) {
  if (handle) return {};
  return execution_failed(device.name() + ": its backend's function '" + function +
                          "' reports success and gives no " + what);
}

Result<std::unique_ptr<OpenDevice>> OpenDevice::open(std::shared_ptr<const DeviceDescription> description) {
  std::unique_ptr<OpenDevice> device(new OpenDevice);
  device->description_ = std::move(description);
  device->own_ = std::make_unique<Handles>(*device);
  if (const cutset_error* e = device->api().open(&device->description_->info(), &device->handle_))
    return unavailable("device '" + device->description_->name() + "': " + message_of(*e),
                       "see cutset devices");
  CUTSET_TRY(check_not_null(*device->description_, device->handle_, "open", "device"));
  return device;
}

OpenDevice::~OpenDevice() {
  if (!handle_) return;
  abandon();
  drain();
  for (const auto* list : {&queues_, &side_queues_})
    for (cutset_queue q : *list) api().release_queue(q);
  own_.reset();
  api().close(handle_);
}

void Handles::take_back(const Mark& mark) {
  const cutset_backend& api = device_.api();
  auto shrink = [&](auto& list, size_t to, auto release) {
    for (; list.size() > to; list.pop_back()) {
      release(list.back());
      --device_.live_handles_;
    }
  };
  shrink(captures_, mark.captures, [&](cutset_capture c) { api.capture->release(c); });
  shrink(plans_, mark.plans, [](const Plan& p) { p.kernel->release(p.plan); });
  shrink(timestamps_, mark.timestamps, [&](cutset_timestamp t) { api.time->release(device_.handle(), t); });
  shrink(events_, mark.events, [&](cutset_event e) { api.release_event(device_.handle(), e); });
  shrink(host_memory_, mark.host_memory, [&](void* memory) {
    if (api.memory)
      api.memory->free_host(device_.handle(), memory);
    else
      ::operator delete(memory, kHostAlignment);
  });
  shrink(buffers_, mark.buffers, [&](cutset_buffer b) { api.free(device_.handle(), b); });
  if (bytes_ == mark.bytes)
    // Threads of queues call this only to release captures. They must not write the members below, which
    // several threads share.
    return;
  device_.allocated_bytes_ -= bytes_ - mark.bytes;
  bytes_ = mark.bytes;
}

// Makes room for one more element, so that push_back() cannot throw after the element has been created.
template <class T>
static void make_room(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 8);
}

void OpenDevice::abandon() {
  if (!std::exchange(abandoned_, true)) api().abandon(handle_);
}

Status OpenDevice::resume() {
  if (!abandoned_) return {};
  if (!api().resume)
    return unsupported(description_->name() +
                       " runs no step after a failure: its backend has no function 'resume'");
  CUTSET_TRY(status(api().resume(handle_)));
  abandoned_ = false;
  return {};
}

void OpenDevice::drain() noexcept {
  for (cutset_queue q : queues_) [[maybe_unused]]
    const cutset_error* ignored =
        api().finish(q);  // an error has been reported by the step, or is caused by abandon()
}

Status OpenDevice::write_now(cutset_queue queue, const cutset_slice& to, const void* from) {
  const cutset_error* error = api().write(queue, &to, from);
  if (!error) error = api().finish(queue);
  return after_transfer(error);
}
Status OpenDevice::read_now(cutset_queue queue, const cutset_slice& from, void* to) {
  const cutset_error* error = api().read(queue, &from, to);
  if (!error) error = api().finish(queue);
  return after_transfer(error);
}

// Copies the text of the error before drain(), because it is valid only until the next call into the backend.
Status OpenDevice::after_transfer(const cutset_error* error) {
  if (!error) return {};
  const ScopeExit drained([this] { drain(); });
  return status(error);
}

Status OpenDevice::status(const cutset_error* error) const {
  if (!error) return {};
  return failure_of(description_->name(), *error);
}

Result<cutset_queue> OpenDevice::queue() { return add_queue(queues_); }
Result<cutset_queue> OpenDevice::side_queue() { return add_queue(side_queues_); }

Result<cutset_queue> OpenDevice::add_queue(std::vector<cutset_queue>& list) {
  make_room(list);
  cutset_queue queue = nullptr;
  CUTSET_TRY(status(api().queue(handle_, &queue)));
  CUTSET_TRY(check_not_null(*description_, queue, "queue", "queue"));
  list.push_back(queue);
  ++live_handles_;
  return queue;
}

Result<cutset_buffer> Handles::allocate(uint64_t bytes) {
  make_room(buffers_);
  cutset_buffer buffer = nullptr;
  CUTSET_TRY(device_.status(device_.api().allocate(device_.handle(), bytes, &buffer)));
  CUTSET_TRY(check_not_null(device_.description(), buffer, "allocate", "buffer"));
  buffers_.push_back(buffer);
  ++device_.live_handles_;
  bytes_ += bytes;
  device_.allocated_bytes_ += bytes;
  return buffer;
}

Result<void*> Handles::host_memory(uint64_t bytes) {
  make_room(host_memory_);
  void* memory = nullptr;
  if (const auto* table = device_.api().memory) {
    CUTSET_TRY(device_.status(table->allocate_host(device_.handle(), bytes, &memory)));
    CUTSET_TRY(check_not_null(device_.description(), memory, "memory->allocate_host", "memory"));
  } else {
    memory = ::operator new(bytes, kHostAlignment);
  }
  host_memory_.push_back(memory);
  ++device_.live_handles_;
  return memory;
}

Result<cutset_event> Handles::event() {
  make_room(events_);
  cutset_event event = nullptr;
  CUTSET_TRY(device_.status(device_.api().event(device_.handle(), &event)));
  CUTSET_TRY(check_not_null(device_.description(), event, "event", "event"));
  events_.push_back(event);
  ++device_.live_handles_;
  return event;
}

Result<cutset_timestamp> Handles::timestamp() {
  if (!device_.api().time) return unsupported(device_.description().name() + " measures no time");
  make_room(timestamps_);
  cutset_timestamp timestamp = nullptr;
  CUTSET_TRY(device_.status(device_.api().time->create(device_.handle(), &timestamp)));
  CUTSET_TRY(check_not_null(device_.description(), timestamp, "time->create", "timestamp"));
  timestamps_.push_back(timestamp);
  ++device_.live_handles_;
  return timestamp;
}

Status Handles::begin_capture(cutset_queue queue) {
  make_room(captures_);
  return device_.status(device_.api().capture->begin(queue));
}

Result<cutset_capture> Handles::end_capture(cutset_queue queue) {
  cutset_capture capture = nullptr;
  CUTSET_TRY(device_.status(device_.api().capture->end(queue, &capture)));
  CUTSET_TRY(check_not_null(device_.description(), capture, "capture->end", "capture"));
  captures_.push_back(capture);
  ++device_.live_handles_;
  return capture;
}

Result<Handles::Prepared> Handles::prepare(const cutset_kernel* kernel,
                                           std::shared_ptr<const OwnedProblem> problem) {
  make_room(plans_);
  Prepared prepared;
  if (const cutset_error* e =
          kernel->prepare(device_.handle(), problem->abi.get(), &prepared.plan, &prepared.scratch_bytes))
    return failure_of(device_.description().name() + ": cannot prepare " + kernel->name, *e);
  CUTSET_TRY(check_not_null(device_.description(), prepared.plan, "prepare", "plan"));
  plans_.push_back({kernel, prepared.plan, std::move(problem)});
  ++device_.live_handles_;
  return prepared;
}

}  // namespace cutset
