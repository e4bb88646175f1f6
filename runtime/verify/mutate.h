// Makes compiled programs wrong in the ways that compilers and runtimes of parallel programs are wrong, to
// test what should find it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/program.h"
#include "runtime/verify/verify.h"

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

// A program that is wrong, and where that may show first: at the instructions that make the wrong value, at those
// that read its buffer, or, where no instruction of a device reads it, in a result of the step.
struct Mutant {
  Program program;
  std::string description;           // "lost-division at 'div' of loss on cpu:0 (...)"
  std::string op, device;            // of the mutated instruction
  std::vector<MutationSite> shows;   // instructions of `program`
  std::vector<std::string> results;  // "output NAME", "variable @NAME"
};
Mutant mutate(Program program, Mutation mutation, const MutationSite& site, const DeviceList& devices);
// Is the difference at one of the places where the mutation may show: the same device, queue, function and
// instruction?
bool names(const Difference& difference, const Mutant& mutant);

}  // namespace cutset
