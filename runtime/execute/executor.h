// SPDX-License-Identifier: Apache-2.0
// What the programs of a session share: the open devices, the threads that run their queues, and the
// variables, which outlive the programs that use them.
//
// One host thread at a time may use an Executor. Its threads wait between steps.
//
// A failure of one device ends the waits of all devices and the step. The next step runs in a new epoch with
// the same variables. If a device cannot be used any more, or if the failure interrupted the updates, the
// failure is final, and every later step and write of a variable returns it (Health). Variables can be read
// if their device still copies, unless they are torn.
//
// A step that takes longer than a minute is reported on standard error, with the current instruction of each
// queue (StepRunner::report_stalls).
#pragma once
#include <memory>

#include "runtime/communicate/transport.h"
#include "runtime/execute/landing.h"
#include "runtime/execute/step_runner.h"
#include "runtime/execute/variable_store.h"
#include "runtime/files/host_pool.h"

namespace cutset {

class Executor {
 public:
  // Opens the devices and starts a thread for each of their queues. `clock`, which must outlive the executor,
  // measures deadlines and stalls. Fails if a device cannot be opened or a thread cannot be started.
  static Result<std::unique_ptr<Executor>> open(const DeviceList& devices, Clock& clock = Clock::real());
  // Ends the threads before the steps that they run are destroyed.
  ~Executor() { workers_.reset(); }

  Devices& devices() { return *devices_; }
  Transport& transport() { return *transport_; }
  Health& health() { return health_; }
  // Blocks until no inputs are being copied ahead. Takes the errors of copies that failed from the queues
  // (CopyAhead::settle). The caller may then read and write variables until it begins a run or copies inputs
  // ahead.
  VariableStore& variables() {
    if (copy_ahead_) copy_ahead_->settle();
    return variables_;
  }
  StepRunner& steps() { return steps_; }
  // Returns the object that copies inputs ahead. The first call starts it. Fails if a device gives no queue,
  // or if the system gives no thread.
  Result<CopyAhead*> copy_ahead();
  // Calls Health::begin_epoch. After a failure, waits first until no inputs are being copied ahead.
  Status begin_epoch();
  // Returns the memory of the results of all programs. A later result reuses the memory of a result that the
  // caller has destroyed.
  HostPool& results() { return results_; }
  // Returns memory of the host from and to which the devices copy fastest: pinned memory of the first device
  // that has it, and ordinary memory if none has. It may outlive the executor. The first call opens the
  // device once more. It fails if the device cannot be opened again.
  Result<std::shared_ptr<HostPool>> pinned_memory();
  // Returns the number of the next run of a function. All programs share these numbers, so the messages of
  // two runs differ, whatever functions they belong to.
  uint64_t next_run() { return ++runs_; }

 private:
  Executor(std::unique_ptr<Devices> devices, std::unique_ptr<Transport> transport,
           std::unique_ptr<Workers> workers, Clock& clock)
      : devices_(std::move(devices)),
        transport_(std::move(transport)),
        workers_(std::move(workers)),
        clock_(clock) {}

  std::unique_ptr<Devices> devices_;
  std::unique_ptr<Transport> transport_;
  Health health_{*devices_, *transport_};
  VariableStore variables_{*devices_, health_};
  std::unique_ptr<Workers> workers_;
  Clock& clock_;
  StepRunner steps_{*devices_, health_, *workers_, clock_};
  std::unique_ptr<CopyAhead> copy_ahead_;  // null: it was not started
  HostPool results_;
  std::shared_ptr<HostPool> pinned_;  // null: nobody has asked for it
  uint64_t runs_ = 0;
};

}  // namespace cutset
