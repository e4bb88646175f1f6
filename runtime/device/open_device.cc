#include "runtime/device/open_device.h"

#include <utility>

namespace cutset {

// Fails if a function of the ABI has reported success and returned a null handle.
static Status given(const DeviceDescription& device, const void* handle, const char* function, const char* what) {
  if (handle) return {};
  return execution_failed(device.name() + ": its backend's function '" + function + "' reports success and gives no " +
                          what);
}

Result<std::unique_ptr<OpenDevice>> OpenDevice::open(std::shared_ptr<const DeviceDescription> description) {
  std::unique_ptr<OpenDevice> device(new OpenDevice);
  device->description_ = std::move(description);
  device->own_ = std::make_unique<Handles>(*device);
  if (const char* e = device->api().open(&device->description_->info(), &device->handle_))
    return unavailable("device '" + device->description_->name() + "': " + e, "see cutset devices");
  CUTSET_TRY(given(*device->description_, device->handle_, "open", "device"));
  return device;
}

OpenDevice::~OpenDevice() {
  if (!handle_) return;
  abandon();
  drain();
  for (cutset_queue q : queues_) api().release_queue(q);
  own_.reset();
  api().close(handle_);
}

void Handles::take_back(const Mark& mark) {
  const cutset_backend& api = device_.api();
  auto shrink = [](auto& list, size_t to, auto release) {
    for (; list.size() > to; list.pop_back()) release(list.back());
  };
  shrink(instances_, mark.instances, [](const Instance& i) { i.kernel->release(i.instance); });
  shrink(events_, mark.events, [&](cutset_event e) { api.release_event(device_.handle(), e); });
  shrink(tensors_, mark.tensors, [&](cutset_tensor t) { api.release_tensor(device_.handle(), t); });
  shrink(buffers_, mark.buffers, [&](cutset_buffer b) { api.free(device_.handle(), b); });
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

void OpenDevice::drain() {
  for (cutset_queue q : queues_) [[maybe_unused]]
    const char* ignored = api().finish(q);  // an error has been reported by the step, or is caused by abandon()
}

Status OpenDevice::write_now(cutset_queue queue, cutset_tensor to, const void* from, uint64_t bytes) {
  CUTSET_TRY(status(api().write(queue, to, from, bytes)));
  return status(api().finish(queue));
}
Status OpenDevice::read_now(cutset_queue queue, cutset_tensor from, void* to, uint64_t bytes) {
  CUTSET_TRY(status(api().read(queue, from, to, bytes)));
  return status(api().finish(queue));
}

Status OpenDevice::status(const char* message) const {
  if (!message) return {};
  return execution_failed(description_->name() + ": " + message);
}

Result<cutset_queue> OpenDevice::queue() {
  make_room(queues_);
  cutset_queue queue = nullptr;
  CUTSET_TRY(status(api().queue(handle_, &queue)));
  CUTSET_TRY(given(*description_, queue, "queue", "queue"));
  queues_.push_back(queue);
  return queue;
}

Result<cutset_buffer> Handles::allocate(uint64_t bytes) {
  make_room(buffers_);
  cutset_buffer buffer = nullptr;
  CUTSET_TRY(device_.status(device_.api().allocate(device_.handle(), bytes, &buffer)));
  CUTSET_TRY(given(device_.description(), buffer, "allocate", "buffer"));
  buffers_.push_back(buffer);
  bytes_ += bytes, device_.allocated_bytes_ += bytes;
  return buffer;
}

Result<cutset_tensor> Handles::tensor(cutset_buffer buffer, uint64_t offset, uint64_t bytes) {
  make_room(tensors_);
  cutset_tensor tensor = nullptr;
  CUTSET_TRY(device_.status(device_.api().tensor(device_.handle(), buffer, offset, bytes, &tensor)));
  CUTSET_TRY(given(device_.description(), tensor, "tensor", "tensor"));
  tensors_.push_back(tensor);
  return tensor;
}

Result<cutset_event> Handles::event() {
  make_room(events_);
  cutset_event event = nullptr;
  CUTSET_TRY(device_.status(device_.api().event(device_.handle(), &event)));
  CUTSET_TRY(given(device_.description(), event, "event", "event"));
  events_.push_back(event);
  return event;
}

Result<cutset_instance> Handles::instantiate(const cutset_kernel* kernel, const cutset_problem* problem,
                                             std::shared_ptr<const void> holder, const std::vector<cutset_tensor>& in,
                                             const std::vector<cutset_tensor>& out, cutset_tensor scratch) {
  make_room(instances_);
  cutset_instance instance = nullptr;
  if (const char* e = kernel->instantiate(device_.handle(), problem, in.data(), out.data(), scratch, &instance))
    return execution_failed(device_.description().name() + ": cannot set up " + kernel->name + ": " + e);
  CUTSET_TRY(given(device_.description(), instance, "instantiate", "instance"));
  instances_.push_back({kernel, instance, std::move(holder)});
  return instance;
}

}  // namespace cutset
