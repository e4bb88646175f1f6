// SPDX-License-Identifier: Apache-2.0
// Puts deliberate errors (mutations) into compiled programs, of the kinds that a compiler or a runtime of
// parallel programs may have. The tests use the mutants to show that `verify`, or the checks of programs,
// find such errors and name the right place. The kinds are in runtime/verify/mutations.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/program/program.h"
#include "runtime/verify/mutation_names.h"
#include "runtime/verify/verify.h"

namespace cutset {

// An instruction at which a mutation can be made, and one of the ways to make it there.
struct MutationSite {
  size_t function = 0, device = 0;  // indices in Program::functions and Program::devices
  int32_t queue = 0;                // Queue
  bool apply = false;               // true: the list `apply`, false: the list `compute`
  size_t instruction = 0;           // the index in this list
  int32_t choice = 0;               // the number of the way, from 0
};

// Returns all sites of the mutation, in the order of the program. `devices` are the devices of the program; a
// mutation that changes a kernel is only made if the device has the new kernel.
std::vector<MutationSite> mutation_sites(const Program& program, Mutation mutation,
                                         const DeviceList& devices);

// A program with one mutation, and the places where its effect may be seen first: the instructions that
// produce the wrong value, the instructions that read its buffer, and, if no instruction reads it, results of
// the step.
struct Mutant {
  Program program;
  std::string description;           // "lost-division at 'div' of loss on cpu:0 (...)"
  std::string op, device;            // the op and the device of the mutated instruction
  std::vector<MutationSite> shows;   // the instructions of `program`; their `choice` is not used
  std::vector<std::string> results;  // the results: "output NAME", "variable @NAME"
  std::vector<BufferId> buffers;     // the buffers that the mutated instructions read or write
};
// Makes the mutation at a site that mutation_sites returned for the same program and devices.
Mutant mutate(Program program, Mutation mutation, const MutationSite& site, const DeviceList& devices);
// Returns true if the difference is at one of the places where the effect of the mutation may be seen first.
bool names(const Difference& difference, const Mutant& mutant);
// Returns true if the message, with which a check refuses the mutant (runtime/program/check/check_program.h),
// names the device and the op or a buffer of the mutated instruction.
bool names(const std::string& refusal, const Mutant& mutant);

}  // namespace cutset
