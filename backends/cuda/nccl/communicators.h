// SPDX-License-Identifier: Apache-2.0
// The communicators of NCCL for the members of a group. All members live in this process.
//
// NCCL uses the CUDA runtime, which works in the primary context of each GPU. The devices of this backend
// have the same context (device.h), so their streams and addresses are valid in NCCL. NCCL may make the
// context of another GPU current for the calling thread. Every call is therefore made while an object of the
// class Current lives. Its destructor restores the context of the caller.
//
// A call for one member may wait for the calls for the other members, as NCCL documents under "Group Calls".
// One thread therefore makes all calls for a sum, in one group of calls. The communicators do not block: a
// call that takes long returns kInProgress, so abort() can end it.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/nccl/nccl_api.h"

namespace cutset::cuda {

class Communicators {
 public:
  // Connects the members. Throws abi::Exception with CUTSET_UNSUPPORTED if NCCL cannot be used or cannot
  // connect them.
  explicit Communicators(std::vector<Device*> members);
  // Releases the communicators. No stream may run their work, unless they have been aborted.
  ~Communicators();
  Communicators(const Communicators&) = delete;

  struct Part {  // the part of one member in a sum
    Address from, to;
    Stream stream;
  };
  // Appends the sum over all members to their streams. Throws if NCCL fails, and aborts the communicators.
  void all_reduce(const std::vector<Part>& parts, size_t count, NcclType type);
  // Throws if a communicator has failed since it was made, and aborts all of them.
  void check();
  // Ends the work that runs and all calls that wait for it. Any thread may call it at any time.
  void abort();

 private:
  void connect();
  NcclStatus settle();
  void abort_all();
  [[noreturn]] void fail(cutset_code code, const char* call, NcclStatus status);

  const std::vector<Device*> members_;
  const NcclApi* api_ = nullptr;
  std::atomic<bool> aborted_ = false;
  std::mutex mutex_;             // guards the members below
  std::vector<NcclComm> comms_;  // by member; empty after abort()
  std::string failure_;          // why NCCL has failed, or empty
};

}  // namespace cutset::cuda
