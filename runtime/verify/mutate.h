// Makes compiled programs wrong in the ways that compilers and runtimes of parallel programs are wrong, to
// test what should find it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/program.h"

namespace cutset {

enum class Mutation {
  kDroppedCount,        // a count of samples becomes 1
  kMissingAllReduce,    // a device takes its own part for the sum
  kSwappedRecv,         // two tensors of one type that arrive are taken for each other
  kStaleRead,           // an op reads an older value of the same type
  kWrongShare,          // a device takes, or hands over, rows of another
  kLostDivision,        // a division by a scalar (1/N) is left out
  kWrongKernel,         // another op of the family
  kExchangedVariables,  // two variables of one type, on one device
  kWrongAxis,           // an attribute that names dimensions, where the types allow it
  kUpdateTwice,         // an optimizer's step is taken again
  kDroppedUpdate,       // one is not taken
};
const std::vector<Mutation>& all_mutations();
const char* name_of(Mutation mutation);  // "dropped-count"
Result<Mutation> parse_mutation(const std::string& name);

// A place in a program where a mutation can be made.
struct MutationSite {
  size_t function = 0, device = 0;
  int32_t queue = 0;
  bool apply = false;
  size_t instruction = 0;  // in its list
  int32_t choice = 0;      // among the ways to do it there
};

// All places, in the order of the program. `devices` are the program's.
std::vector<MutationSite> mutation_sites(const Program& program, Mutation mutation, const DeviceList& devices);

// What was done, and where: "lost-division at 'div' of loss on cpu:0". Which instructions carry the wrong
// value or are the first to read it, so that a finding can be judged.
struct Mutant {
  Program program;
  std::string description;
  std::string op, device, source;      // of the mutated instruction
  std::vector<std::string> consumers;  // "op@device" of the instructions that read what it makes
};
Mutant mutate(Program program, Mutation mutation, const MutationSite& site, const DeviceList& devices);

}  // namespace cutset
