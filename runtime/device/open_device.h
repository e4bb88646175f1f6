// SPDX-License-Identifier: Apache-2.0
// Opens a device and owns all ABI handles on it: buffers, queues, events, plans and timestamps. The
// destructor releases them and closes the device. An error of the backend becomes a Status that begins with
// the device's name.
//
// One thread at a time may call the functions that are not const; any thread may call the others.
#pragma once
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "runtime/device/abi_values.h"
#include "runtime/device/device.h"

namespace cutset {

class OpenDevice;

// Handles of one device that have one owner. The destructor releases them in the reverse order of their
// creation; no queue may then have unfinished commands that use them, and the device must still be open.
class Handles {
 public:
  explicit Handles(OpenDevice& device) : device_(device) {}
  ~Handles() { take_back({}); }
  Handles(const Handles&) = delete;

  // The functions below create a handle, which lives until take_back() or as long as the owner. They fail if
  // the backend reports an error or returns a null handle.
  Result<cutset_buffer> allocate(uint64_t bytes);
  // Allocates host memory from and to which the device copies fastest: pinned memory, or any memory if the
  // device has no table `memory`. The contents are undefined.
  Result<void*> host_memory(uint64_t bytes);
  Result<cutset_event> event();
  // Fails if the device has no table `time`.
  Result<cutset_timestamp> timestamp();
  // A plan, with the scratch memory that each execution needs. The problem is kept as long as the plan.
  struct Prepared {
    cutset_plan plan = nullptr;
    uint64_t scratch_bytes = 0;
  };
  Result<Prepared> prepare(const cutset_kernel* kernel, std::shared_ptr<const OwnedProblem> problem);
  // Begin and end the recording of a queue of the device, which must have the table `capture`. end_capture
  // ends the recording even if it fails. It must follow a successful begin_capture, with no other capture of
  // this owner in between.
  Status begin_capture(cutset_queue queue);
  Result<cutset_capture> end_capture(cutset_queue queue);

  // mark() remembers which handles exist. take_back() releases all handles that were created since, in
  // reverse order.
  struct Mark {
    size_t buffers = 0, host_memory = 0, events = 0, plans = 0, timestamps = 0, captures = 0;
    uint64_t bytes = 0;
  };
  Mark mark() const {
    return {buffers_.size(),    host_memory_.size(), events_.size(), plans_.size(),
            timestamps_.size(), captures_.size(),    bytes_};
  }
  void take_back(const Mark& mark);

 private:
  OpenDevice& device_;
  uint64_t bytes_ = 0;  // the sum of the sizes of the buffers
  std::vector<cutset_buffer> buffers_;
  std::vector<void*> host_memory_;
  std::vector<cutset_event> events_;
  std::vector<cutset_timestamp> timestamps_;
  struct Plan {
    const cutset_kernel* kernel;
    cutset_plan plan;
    std::shared_ptr<const OwnedProblem> problem;
  };
  std::vector<Plan> plans_;
  std::vector<cutset_capture> captures_;
};

class OpenDevice {
 public:
  // Fails if the backend cannot open the device, for example because a driver is missing.
  static Result<std::unique_ptr<OpenDevice>> open(std::shared_ptr<const DeviceDescription> description);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;

  const DeviceDescription& description() const { return *description_; }
  const std::shared_ptr<const DeviceDescription>& shared_description() const { return description_; }
  uint64_t allocated_bytes() const {
    return allocated_bytes_;
  }  // the sum of the sizes of the buffers of all owners
  // Returns the number of handles of all owners that have not been released.
  size_t live_handles() const { return live_handles_; }
  const cutset_backend& api() const { return description_->backend(); }
  cutset_device handle() const { return handle_; }
  // Returns the alignment of slices within a buffer, in bytes.
  uint64_t alignment() const { return std::max<uint64_t>(description_->info().alignment, 1); }

  // Returns the handles that live until the device is closed.
  Handles& own() { return *own_; }
  Result<cutset_queue> queue();
  // Creates a queue that drain() leaves alone, because another thread may use it while no step runs.
  Result<cutset_queue> side_queue();

  // Ends every wait on the device with an error (see cutset_device.h). Only the first call before resume()
  // has an effect.
  void abandon();
  // Lets the device run commands again. Requires drain() after abandon(), and no commands in side queues; has
  // no effect on a device that is not abandoned. Fails if the device cannot be used after a failure.
  Status resume();
  // Blocks until no command of any queue runs or will run, and discards the errors of the queues. Does not
  // wait for side queues. Call it after a failure: a command that fails ends the commands of all queues, and
  // each queue keeps an error until `finish` is called for it. Must not be called while a step runs.
  void drain() noexcept;

  // Transfer a slice, and wait until the transfer has ended, even if it fails. Must not be called while a
  // step runs.
  Status write_now(cutset_queue queue, const cutset_slice& to, const void* from);
  Status read_now(cutset_queue queue, const cutset_slice& from, void* to);

  // Converts an error of the ABI: null becomes success, any other error a failure "cpu:0: MESSAGE".
  Status status(const cutset_error* error) const;

 private:
  OpenDevice() = default;
  Status after_transfer(const cutset_error* error);
  std::shared_ptr<const DeviceDescription> description_;
  cutset_device handle_ = nullptr;
  friend class Handles;
  uint64_t allocated_bytes_ = 0;
  std::atomic<size_t> live_handles_ = 0;  // the threads of queues create timestamps
  Result<cutset_queue> add_queue(std::vector<cutset_queue>& list);
  std::vector<cutset_queue> queues_, side_queues_;
  std::unique_ptr<Handles> own_;
  bool abandoned_ = false;
};

}  // namespace cutset
