// SPDX-License-Identifier: Apache-2.0
// Groups the buffers of a function into units of memory, for the check of the memory.
#pragma once
#include "ir/core/result.h"
#include "runtime/program/order/role_accesses.h"
#include "runtime/program/program.h"

namespace cutset::checks {

// A piece of memory that is accessed as one: a buffer of an arena with all its views, or a variable on one
// device.
struct Unit {
  BufferId buffer;              // the first buffer that refers to this memory
  RoleId role = {};             // the role whose buffer it is; not set: it is a buffer of the function
  bool arena = false;           // false: a variable
  FrameId frame = {};           // the simple frame (Units::is_simple) that has it; not set: none has
  int32_t bucket_unit = kNone;  // the unit of the bucket that contains it; kNone: it is in no bucket
  const Instruction* bucket = nullptr;  // if it is a bucket: the only instruction that may use it as a whole
  bool used = false;                    // an instruction uses it
};

struct Units {
  std::vector<Unit> units;
  std::vector<int32_t> of;  // by buffer; kNone: a constant or a type, which no instruction writes

  // By frame of the function: whether each of its buffers is a unit in an arena, is the only buffer of the
  // unit that is in a frame, and belongs to no bucket. An access to such a frame is one access to all these
  // units.
  std::vector<bool> is_simple;

  // The buffers of a role. All calls of a role use the same units for the buffers that no call gives, because
  // they run one after the other in the same memory.
  struct OfRole {
    std::vector<int32_t> of;  // by buffer; kNone: a constant, a type, or memory that the call gives
    std::vector<int32_t>
        parameter;  // by buffer: the index of the parameter that is its memory; kNone: none is
    std::vector<BufferId> parameters;  // the buffers of all arguments, one after the other
    std::vector<bool> used;            // by parameter: whether the role uses it
    RoleAccesses accesses;
    std::vector<int32_t>
        inside;  // the units of accesses.inside, which stand for the memory of the role as a whole
  };
  std::vector<OfRole> roles;
  // Returns the units of the buffers of a role in a call, by buffer. `units` has the storage for the result.
  void of_call(const Function& f, const CallRole& call, std::vector<int32_t>& units) const;

  // Returns the first buffer of a unit.
  static const Buffer& buffer_of(const Function& f, const Unit& u) {
    return u.role.is_set() ? f.roles[u.role].buffers[u.buffer] : f.buffers[u.buffer];
  }

  // Fails if a bucket is used otherwise than as the bucket of one instruction, or if the flag of a finite
  // check is not a separate buffer that an instruction uses. The function must have passed
  // check_instructions, or come from the compiler. It need not be expanded. It takes O(n log n) time in the
  // size of the function.
  static Result<Units> make(const Function& function);
};

// Returns the buffer of a unit as text, for error messages: "buffer 3 of shard 1 (bytes 0 to 256)".
std::string shown(const Function& function, const Unit& unit);
// Returns a finite check and its flag as text: "finite check 0: its flag, buffer 3,".
std::string flag_of(const Function& function, size_t finite_check);

}  // namespace cutset::checks
