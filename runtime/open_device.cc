#include "runtime/open_device.h"

#include <utility>

namespace cutset {

// An error where a function of the ABI has succeeded without a handle.
static Status given(const DeviceDescription& device, const void* handle, const char* function, const char* what) {
  if (handle) return {};
  return execution_failed(device.name() + ": its backend's function '" + function + "' reports success and gives no " +
                          what);
}

Result<std::unique_ptr<OpenDevice>> OpenDevice::open(std::shared_ptr<const DeviceDescription> description) {
  std::unique_ptr<OpenDevice> device(new OpenDevice);
  device->description_ = std::move(description);
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
  take_back({});
  api().close(handle_);
}

void OpenDevice::take_back(const Mark& mark) {
  auto shrink = [](auto& list, size_t to, auto release) {
    for (; list.size() > to; list.pop_back()) release(list.back());
  };
  shrink(instances_, mark.instances, [](const Instance& i) { i.kernel->release(i.instance); });
  shrink(events_, mark.events, [&](cutset_event e) { api().release_event(handle_, e); });
  shrink(tensors_, mark.tensors, [&](cutset_tensor t) { api().release_tensor(handle_, t); });
  shrink(buffers_, mark.buffers, [&](cutset_buffer b) { api().free(handle_, b); });
  allocated_bytes_ = mark.bytes;
}

void OpenDevice::abandon() {
  if (!std::exchange(abandoned_, true)) api().abandon(handle_);
}

void OpenDevice::drain() {
  for (cutset_queue q : queues_) [[maybe_unused]]
    const char* said = api().finish(q);  // the error is that of the step, or of abandon
}

Status OpenDevice::status(const char* sentence) const {
  if (!sentence) return {};
  return execution_failed(description_->name() + ": " + sentence);
}

Result<cutset_buffer> OpenDevice::allocate(uint64_t bytes) {
  cutset_buffer buffer = nullptr;
  CUTSET_TRY(status(api().allocate(handle_, bytes, &buffer)));
  CUTSET_TRY(given(*description_, buffer, "allocate", "buffer"));
  buffers_.push_back(buffer);
  allocated_bytes_ += bytes;
  return buffer;
}

Result<cutset_tensor> OpenDevice::tensor(cutset_buffer buffer, uint64_t offset, uint64_t bytes) {
  cutset_tensor tensor = nullptr;
  CUTSET_TRY(status(api().tensor(handle_, buffer, offset, bytes, &tensor)));
  CUTSET_TRY(given(*description_, tensor, "tensor", "tensor"));
  tensors_.push_back(tensor);
  return tensor;
}

Result<cutset_queue> OpenDevice::queue() {
  cutset_queue queue = nullptr;
  CUTSET_TRY(status(api().queue(handle_, &queue)));
  CUTSET_TRY(given(*description_, queue, "queue", "queue"));
  queues_.push_back(queue);
  return queue;
}

Result<cutset_event> OpenDevice::event() {
  cutset_event event = nullptr;
  CUTSET_TRY(status(api().event(handle_, &event)));
  CUTSET_TRY(given(*description_, event, "event", "event"));
  events_.push_back(event);
  return event;
}

Result<cutset_instance> OpenDevice::instantiate(const cutset_kernel* kernel, const cutset_problem* problem,
                                                std::shared_ptr<const void> holder,
                                                const std::vector<cutset_tensor>& in,
                                                const std::vector<cutset_tensor>& out, cutset_tensor scratch) {
  cutset_instance instance = nullptr;
  if (const char* e = kernel->instantiate(handle_, problem, in.data(), out.data(), scratch, &instance))
    return execution_failed(description_->name() + ": cannot set up " + kernel->name + ": " + e);
  CUTSET_TRY(given(*description_, instance, "instantiate", "instance"));
  instances_.push_back({kernel, instance, std::move(holder)});
  return instance;
}

}  // namespace cutset
