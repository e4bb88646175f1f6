// SPDX-License-Identifier: Apache-2.0
// Fibers: call stacks between which a host thread switches. The emulator runs one CUDA thread on each fiber.
//
// A fiber runs one body after another, and its stack lives until the process ends. The caller of every
// function below holds the lock of the driver double. The host thread that starts a fiber also finishes it.
#pragma once
#include <cstddef>

#include "tests/cuda/sanitizers.h"

namespace cutset::cuda::doubles {

// The place where a stopped execution continues.
struct Resume;

class Fiber {
 public:
  Fiber();
  Fiber(const Fiber&) = delete;

  // Runs `body(argument)` on the fiber's stack. Returns when the body has ended or has called stop().
  void start(void (*body)(void*), void* argument);
  // Continues a body that has called stop(). Returns as start() does.
  void resume();
  // Returns to the caller of start() or resume(). Only the body calls it.
  void stop();
  // Forgets a body that has stopped and will not be resumed. Its destructors do not run.
  void abandon();

 private:
  [[noreturn]] static void enter();
  void prepare();    // makes the next switch enter the loop of bodies
  void switch_in();  // switches from the host thread to the fiber
  void switch_out();

  char* stack_ = nullptr;  // above the guard page
  Resume *inside_, *outside_;
  bool entered_ = false;  // the loop of bodies has been entered
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  void *thread_ = nullptr, *caller_ = nullptr;  // ThreadSanitizer's numbers of this and the host's thread
  void *fake_stack_ = nullptr, *caller_fake_stack_ = nullptr;  // the stacks of AddressSanitizer
  const void* caller_stack_ = nullptr;
  size_t caller_stack_bytes_ = 0;
};

}  // namespace cutset::cuda::doubles
