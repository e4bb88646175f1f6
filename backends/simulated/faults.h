// SPDX-License-Identifier: Apache-2.0
// Faults on request. They show tests and users how a program behaves when a device fails.
//
// The environment variable CUTSET_SIMULATED_FAULTS holds a list of requests, separated by commas. Each device
// sim:N reads it when it is opened; `describe` and `available` read it when they are called. A request has
// this form:
//
//   FUNCTION[/OP][@INDEX]=N[+][:ACTION]
//
// - FUNCTION is a function of runtime/abi/cutset_device.h: describe, available, open, allocate, queue, event,
//   prepare, finish, resume, allocate_host, begin, end, create_timestamp or create_group; or a function that
//   appends a command to a queue: enqueue, signal, wait, write, read, copy, copy_peer, launch, record,
//   all_reduce, send or receive.
// - /OP restricts `prepare` and `enqueue` to kernels of that op.
// - @INDEX restricts the request to the device sim:INDEX.
// - The request applies to call number N, counted from 1, and with + also to all later calls. Calls are
//   counted per device and per request.
//
// ACTION is one of
// - fail, the default: the function returns the error "FUNCTION fails on request (call N)", with the code
//   CUTSET_OUT_OF_MEMORY for `allocate` and `allocate_host`, and CUTSET_FAILED otherwise.
// - late: the call succeeds after 20 ms.
// - dead: the device is lost. This call and every later call of a function that is listed above, except
//   describe and available, return an error with the code CUTSET_DEVICE_LOST.
// - lost, for the functions that append a command to a queue: the call succeeds, and the command fails on the
//   device.
// - hang, for the same functions: the call succeeds, and the command never ends until the device is
//   abandoned.
// - nan, for `enqueue`: the kernel runs, and then the first element of each f32 and f64 result becomes NaN.
//
// Example: CUTSET_SIMULATED_FAULTS="enqueue/sgd=2" makes the second update of a step fail.
#pragma once
#include <mutex>
#include <string>
#include <vector>

namespace cutset::simulated {

class Faults {
 public:
  // Reads the requests that concern the device sim:`index`. Throws abi::Exception if a request is malformed.
  explicit Faults(int index);

  // The fate of a command.
  enum class Outcome { kRun, kLost, kHang, kNan };
  // Counts a call of `function` and carries out the requests for it: waits, or throws abi::Exception. Any
  // thread may call it.
  Outcome call(const char* function, const char* op = "");

 private:
  struct Request {
    std::string function, op, action = "fail";
    long at = 0;
    bool from_then_on = false;
    long calls = 0;
  };
  std::mutex mutex_;  // guards the members below
  std::vector<Request> requests_;
  bool dead_ = false;
};

}  // namespace cutset::simulated
