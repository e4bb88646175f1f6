// SPDX-License-Identifier: Apache-2.0
// A program that is loaded onto an Executor: its buffers are allocated, its kernels are prepared, and its
// channels are set up. A step therefore allocates no memory on the threads of the queues.
//
// One host thread at a time may use an Executable. The Executor must outlive it. Several Executables may
// share one Executor, with its variables and arenas (runtime/execute/arena.h), but only one of them may run
// at a time. When a program that needs a larger arena is loaded, the others are bound again before their next
// run. An Executable releases its memory and its handles on the devices when it is destroyed; the variables
// stay with the Executor.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "runtime/execute/bound_function.h"
#include "runtime/execute/feeds.h"
#include "runtime/execute/step_through.h"
#include "runtime/program/program.h"

namespace cutset {

class Executable final : private Arena::Tenant {
 public:
  // Declares the variables of the program and loads all its functions. Fails if a device is not open, does
  // not have enough memory, or does not support a kernel. A failed load releases everything that it
  // allocated.
  static Result<std::unique_ptr<Executable>> load(Executor& executor, Program program);
  ~Executable();

  const Program& program() const { return bound_.program; }

  // Runs one function as one transaction. `inputs` are the inputs that the caller feeds (caller_inputs), in
  // the order of their ports. Each must have the type of its port and stay valid until the call returns. The
  // results are in the order of Function::outputs and valid until the next call for the same function. The
  // caller may move them.
  //
  // Fails, and changes no variable, if the function updates variables and one of these numbers is not finite:
  // a scalar result, or an element of a tensor that an update is about to use. A function without updates
  // returns such results. If a
  // device fails before the updates, no variable has changed. If a device fails during the updates, some
  // variables are from before the step and others from after it, and they cannot be read any more
  // (Health::torn).
  Result<std::span<HostTensor>> run(const std::string& function, std::span<const HostTensor* const> inputs,
                                    const Feeds& feeds = {}, Landing* landing = nullptr);
  // Begins to copy the inputs of a later run to the devices for which this saves time (CopyAhead::lands),
  // while other functions run. The inputs must stay valid until Landing::wait() has returned, and until the
  // run. run() takes the landing together with the same function and inputs. If the copy has failed, or if
  // the executable that made the landing was destroyed, run() copies the inputs from the host. Returns null
  // if nothing is copied (BoundFunction::free_landing).
  Result<std::shared_ptr<Landing>> copy_ahead(const std::string& function,
                                              std::span<const HostTensor* const> inputs);
  // Returns the kernels that the compiler chose and that others have replaced (PreparedKernels::replaced).
  const std::vector<PassedOver>& replaced() const { return bound_.kernels.replaced(); }
  // Returns true if the function updates variables.
  bool commits(const std::string& function) const;

  // Runs one function on the calling thread, instruction by instruction, in an order that depends only on the
  // program. `observer` is called before and after each instruction. Results that are not finite are not an
  // error. Fails with the blocked instruction if no queue can continue (a deadlock).
  Result<std::span<const HostTensor>> step_through(const std::string& function,
                                                   std::span<const HostTensor* const> inputs,
                                                   Observer& observer, const Feeds& feeds = {});
  // Enters the arenas and binds all functions, unless they are bound. Buffers can then be read before the
  // program runs again, even if another program has taken its memory. The buffers of constants and variables
  // hold their values.
  Status bind();
  // Read and write a buffer of the function. Both are meant for observers of step_through, because the
  // contents are valid only until another function runs. A buffer whose type alone is used reads as zeros and
  // cannot be written. Fail if another program has replaced the arena.
  Result<HostTensor> read_buffer(const std::string& function, BufferId buffer);
  Status write_buffer(const std::string& function, BufferId buffer, const HostTensor& value);

 private:
  explicit Executable(Executor& executor, Program program)
      : bound_{executor, std::move(program), {}, {}, {}, {}, {}} {}
  Status load_all();
  Status load_constants();
  // Prepares the functions, and finds the memory that their steps need.
  Status load_functions();
  void leave() override;
  Result<BoundFunction*> find(const std::string& function);
  Result<BoundFunction*> prepare(const std::string& function, std::span<const HostTensor* const> inputs,
                                 const Feeds& feeds);
  // Returns the failure of a step whose updates have begun, and declares the variables unusable.
  Failure torn(const BoundFunction& loaded, uint64_t step, Failure failure);
  // Returns the flag of a check, after the commands of the queue `compute` have run. Fails if the device
  // fails.
  Result<bool> is_finite(const BoundFunction& loaded, const FiniteCheck& check);
  // Whether a step may be committed: all results and all tensors for updates are finite.
  bool votes_for(const BoundFunction& loaded) noexcept;
  // Returns why the vote has refused a step. `inputs`: the inputs of the step.
  Failure why_refused(const BoundFunction& loaded, const Feeds& feeds,
                      std::span<const HostTensor* const> inputs);
  Failure not_finite(const BoundFunction& loaded, const FiniteCheck& check, const Feeds& feeds,
                     std::span<const HostTensor* const> inputs);
  struct LocatedBuffer {
    const Buffer* buffer;
    cutset_slice slice;
    size_t device;  // the index in the executor
  };
  Result<LocatedBuffer> locate(const std::string& function, BufferId buffer);

  BoundProgram bound_;
  std::vector<std::unique_ptr<BoundFunction>> functions_;
  std::vector<uint64_t> step_memory_;  // by device: the arena of all functions, with scratch memory
};

}  // namespace cutset
