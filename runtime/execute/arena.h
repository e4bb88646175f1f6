// SPDX-License-Identifier: Apache-2.0
// The memory of a device in which the programs of a session keep the values of a step. Only one function runs
// at a time, and no value outlives its step, so all functions of all programs share one arena. The arena is
// as large as the largest of these functions needs.
//
// A program enters the arena before its first run and makes tensors in it. When a program needs more than the
// arena has, all programs leave, and a larger arena is allocated. A program that has left enters again before
// its next run. The arena is released when the last program leaves.
//
// One host thread at a time may use an arena, while no step runs. The device must outlive it.
#pragma once
#include <set>

#include "runtime/device/open_device.h"

namespace cutset {

class Arena {
 public:
  // A program with tensors in arenas.
  class Tenant {
   public:
    // Releases the tensors that the program has in arenas, and calls Arena::leave of each arena.
    virtual void leave() = 0;

   protected:
    ~Tenant() = default;
  };

  explicit Arena(OpenDevice& device) : device_(device), memory_(device) {}

  // Returns memory of at least `bytes` bytes. It is valid until `tenant` leaves. If the device fails to
  // allocate it, the arena has no memory afterwards, and `tenant` must leave.
  Result<cutset_buffer> enter(Tenant& tenant, uint64_t bytes);
  // Has no effect if `tenant` has not entered.
  void leave(Tenant& tenant);
  // Returns the size of the arena; 0 while no program is in it.
  uint64_t bytes() const { return bytes_; }
  // Returns the bytes that are allocated on the device outside the arena.
  uint64_t bytes_outside() const { return device_.allocated_bytes() - bytes_; }

 private:
  OpenDevice& device_;
  Handles memory_;
  cutset_buffer buffer_ = nullptr;  // null while no program is in the arena
  uint64_t bytes_ = 0;
  std::set<Tenant*> tenants_;
};

}  // namespace cutset
