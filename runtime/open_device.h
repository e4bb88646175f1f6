// An open device, and what lies on it, with owners: each handle of the ABI is released by its wrapper.
// Errors of the ABI become Status, with the device's name in front.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace cutset {

class OpenDevice {
 public:
  static Result<std::unique_ptr<OpenDevice>> open(std::shared_ptr<const DeviceDescription> description);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;

  const DeviceDescription& description() const { return *description_; }
  const std::shared_ptr<const DeviceDescription>& shared_description() const { return description_; }
  uint64_t allocated_bytes() const { return allocated_bytes_; }  // by us, of its memory
  const cutset_backend& api() const { return description_->backend(); }
  cutset_device handle() const { return handle_; }
  uint64_t alignment() const { return std::max<uint64_t>(description_->info().alignment, 1); }

  // All of these live until the device is closed, or until take_back.
  Result<cutset_buffer> allocate(uint64_t bytes);
  Result<cutset_tensor> tensor(cutset_buffer buffer, uint64_t offset, uint64_t bytes);
  Result<cutset_queue> queue();
  Result<cutset_event> event();
  // `holder` owns what `problem` points to, and lives as long as the instance.
  Result<cutset_instance> instantiate(const cutset_kernel* kernel, const cutset_problem* problem,
                                      std::shared_ptr<const void> holder, const std::vector<cutset_tensor>& in,
                                      const std::vector<cutset_tensor>& out, cutset_tensor scratch);

  // What there is now, and back to it: releases, in reverse order, what was made since. No queue may be at work
  // on it.
  struct Mark {
    size_t buffers, tensors, events, instances;
    uint64_t bytes;
  };
  Mark mark() const { return {buffers_.size(), tensors_.size(), events_.size(), instances_.size(), allocated_bytes_}; }
  void take_back(const Mark& mark);

  // Ends every wait on the device; later calls do nothing. See cutset_device.h.
  void abandon();
  // Blocks until nothing of any queue runs or will run, after abandon().
  void drain();

  // "cpu:0: what the backend said"; success for null.
  Status status(const char* sentence) const;

 private:
  OpenDevice() = default;
  std::shared_ptr<const DeviceDescription> description_;
  cutset_device handle_ = nullptr;
  uint64_t allocated_bytes_ = 0;
  std::vector<cutset_buffer> buffers_;
  std::vector<cutset_tensor> tensors_;
  std::vector<cutset_queue> queues_;
  std::vector<cutset_event> events_;
  struct Instance {
    const cutset_kernel* kernel;
    cutset_instance instance;
    std::shared_ptr<const void> problem;
  };
  std::vector<Instance> instances_;
  bool abandoned_ = false;
};

}  // namespace cutset
