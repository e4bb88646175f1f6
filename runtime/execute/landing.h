// SPDX-License-Identifier: Apache-2.0
// Copies the inputs of a later run to the devices while another run computes.
//
// A landing is memory on the devices, outside of the arena, for the inputs of one run of one function. A
// separate thread fills it, over one separate queue per device that no step uses. The run then copies the
// inputs from the landing to their buffers inside the device, instead of from the host.
//
// All accesses to a landing are ordered:
//   - Of all instructions, only the ReadInputs of this run access the memory of the landing.
//   - The run begins when `finish` of the queues that filled the landing has returned (Landing::wait).
//   - A landing is filled again when only its function holds it. The run that read it, and all queues of its
//     step, have then ended.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/execute/devices.h"
#include "runtime/execute/workers.h"

namespace cutset {

class CopyAhead;

// One host thread at a time uses a landing. release() must be called before the memory of its slices is freed
// and before the CopyAhead is destroyed.
class Landing final : private Task {
 public:
  struct Part {
    size_t device;  // the index in the session
    cutset_slice slice;
  };
  explicit Landing(std::vector<Part> parts) : parts_(std::move(parts)), from_(parts_.size()) {}
  ~Landing() { release(); }
  Landing(const Landing&) = delete;

  const cutset_slice& slice(size_t part) const { return parts_[part].slice; }
  // Blocks until no copy runs. Returns whether the last fill succeeded, so that the landing holds the inputs.
  bool wait();
  // Waits like wait(). The landing then holds nothing and forgets the CopyAhead.
  void release();

 private:
  friend class CopyAhead;
  void run(size_t worker) noexcept override;

  const std::vector<Part> parts_;
  std::vector<const void*> from_;  // by part
  // The object whose thread fills the landing; null: the landing was not filled.
  CopyAhead* by_ = nullptr;
  bool filling_ = false, full_ = false;  // guarded by CopyAhead::mutex_
};

// The thread and the queues of a session that fill landings. One host thread at a time uses it.
class CopyAhead {
 public:
  // Starts the thread, and makes a queue on each device that lands its inputs.
  static Result<std::unique_ptr<CopyAhead>> start(Devices& devices);

  // Whether a device lands its inputs. On a device that shares its memory with the host, or whose driver
  // copies in a thread of the host, a second copy takes time from the kernels and gains none. A device that
  // copies by itself has the table `memory` for pinned memory of the host.
  static bool lands(const OpenDevice& device) { return device.api().memory != nullptr; }
  // Begins to fill a landing from `from`, one address per part. The memory must stay valid until
  // Landing::wait() has returned. If a copy fails, the landing holds nothing. If the failure reaches other
  // queues of the device, the step that uses them, or settle(), reports it.
  void fill(Landing& landing, std::vector<const void*> from);
  // Blocks until no landing is being filled.
  void wait();
  // Waits like wait(). If a copy has failed since the last call, also takes the error from all queues of the
  // devices, so that the next command does not report it. No step may run.
  void settle();

 private:
  friend class Landing;
  explicit CopyAhead(Devices& devices) : devices_(devices) {}
  // Runs on the thread of the object, and allocates no memory. Blocks until no queue has a command left.
  // Returns whether all copies succeeded.
  bool copy(const Landing& landing);
  // Whether the commands of the queue of a device have succeeded.
  bool finish(size_t device);

  Devices& devices_;
  std::vector<cutset_queue> queues_;  // by device; null: it does not land its inputs
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t filling_ = 0;               // the number of landings that are being filled; guarded by mutex_
  bool failed_ = false;              // whether a copy has failed since the last settle(); guarded by mutex_
  std::unique_ptr<Workers> worker_;  // declared last, because its thread uses the members above
};

}  // namespace cutset
