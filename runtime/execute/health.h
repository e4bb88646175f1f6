// Whether the devices of a session still work, and whether its variables can be used.
//
// The first failure of a device is final. It ends all waits: those of the devices, and those of the threads that wait for
// messages and sums. Any thread may call any function, except where a comment says otherwise.
#pragma once
#include <mutex>
#include <optional>

#include "runtime/communicate/transport.h"
#include "runtime/execute/devices.h"

namespace cutset {

class Health {
 public:
  Health(Devices& devices, Transport& transport) : devices_(devices), transport_(transport) {}

  // Ends all waits. From now on healthy() returns `error`. Has no effect after an earlier failure.
  void fail(Failure error);
  // Like fail() and tear() together, with an error that was allocated beforehand. It is for failures that cannot be
  // described, because host memory is exhausted.
  void fail_without_memory() noexcept;
  uint64_t epoch() const { return transport_.epoch(); }  // the number of the current epoch
  bool failed() const;                                   // whether a device has failed
  Status healthy() const;                                // success, or the first failure

  // Declares the variables unusable, because some are from before a step and others from after it. `why` is what a read
  // of a variable fails with from now on. It must not be called while another thread calls torn().
  void tear(Failure why) { torn_ = std::move(why); }
  const std::optional<Failure>& torn() const { return torn_; }

 private:
  void abandon();  // ends all waits; the caller holds mutex_
  static Failure no_memory();

  Devices& devices_;
  Transport& transport_;
  mutable std::mutex mutex_;
  bool failed_ = false;
  Failure error_;
  std::optional<Failure> torn_;
  // The errors of fail_without_memory().
  Failure out_of_memory_ = no_memory(), torn_out_of_memory_ = no_memory();
};

}  // namespace cutset
