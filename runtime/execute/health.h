// SPDX-License-Identifier: Apache-2.0
// Whether the devices of a session still work, and whether its variables can be used.
//
// A failure of a device ends the current epoch. It ends all waits of the devices, and all waits of threads
// for messages and sums. When all queues are drained, a new epoch begins with the same variables, unless one
// of these holds:
//   - a device cannot be used any more (OpenDevice::resume);
//   - the failure interrupted the updates of a step, so the variables are torn.
// The failure is then final.
//
// Any thread may call any function, except where a comment says otherwise.
#pragma once
#include <mutex>
#include <optional>

#include "runtime/communicate/transport.h"
#include "runtime/execute/devices.h"

namespace cutset {

class Health {
 public:
  Health(Devices& devices, Transport& transport) : devices_(devices), transport_(transport) {}

  // Ends the epoch. Until the next epoch, healthy() returns `error`. Has no effect after an earlier failure
  // of the epoch.
  void fail(Failure error);
  // Ends the epoch like fail(), with an error that was allocated beforehand. For failures that cannot be
  // described, because host memory is exhausted.
  void fail_without_memory() noexcept;
  // Begins a new epoch if the current one has failed. If the failure is final, fails with it. The error also
  // says why no epoch begins. The thread that runs steps calls it, while no step runs and no inputs are being
  // copied.
  Status begin_epoch();
  uint64_t epoch() const { return transport_.epoch(); }  // the number of the current epoch
  bool failed() const;                                   // whether a device has failed in this epoch
  Status healthy() const;                                // success, or the first failure of this epoch

  // Declares the variables unusable, because some are from before a step and others from after it. From now
  // on, a read of a variable fails with `why`. It must not be called while another thread calls torn().
  void tear(Failure why) { torn_ = std::move(why); }
  // Declares the variables unusable like tear(), with a text that was allocated beforehand. Has no effect if
  // the variables are torn.
  void tear_without_memory() noexcept;
  const std::optional<Failure>& torn() const { return torn_; }

 private:
  // Ends all waits and makes `error` the failure of the epoch. The caller holds mutex_.
  void end_epoch(const Failure& error) noexcept;

  Devices& devices_;
  Transport& transport_;
  mutable std::mutex mutex_;
  const Failure* error_ = nullptr;  // the first failure of the epoch; null: there is none
  bool final_ = false;              // no further epoch begins
  Failure described_;               // what error_ points to, unless memory was exhausted
  std::optional<Failure> torn_;
  // The errors of the functions that allocate no memory.
  const Failure out_of_memory_ =
      execution_failed("a step failed, and the host has no memory to describe the failure");
  Failure torn_out_of_memory_ = execution_failed(
      "a step failed while it updated the variables, and the host has no memory to describe the failure; the "
      "variables are not usable",
      "load a checkpoint, or start a new session");
};

}  // namespace cutset
