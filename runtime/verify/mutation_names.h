// SPDX-License-Identifier: Apache-2.0
// The kinds of mutations and their names, which `cutset verify --mutate` accepts.
#pragma once
#include <string>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

enum class Mutation {
  kDroppedCount,        // the number of samples of a mean becomes 1
  kMissingAllReduce,    // a device uses its own partial sum instead of the sum
  kSwappedRecv,         // two received tensors of the same type are swapped
  kStaleRead,           // an op reads an older value of the same type, or a value of another micro-batch
  kWrongShare,          // a device copies the wrong rows of an input or output
  kLostDivision,        // a division by a scalar is left out
  kWrongKernel,         // an op is replaced by another op of its family
  kExchangedVariables,  // two variables of the same type on one device are exchanged
  kWrongAxis,           // an axis, a permutation or a transpose flag is changed
  kUpdateTwice,         // the update of a variable, or an addition to a sum, is made twice
  kDroppedUpdate,       // the update of a variable, or an addition to a sum, is not made
  kLocalCount,          // a mean divides by the number of samples of one shard
  kWrongFirstElement,   // an op takes the random numbers, or the rows of a piece of a table, before or after
                        // its own
  kWrongSlice,          // a slice begins one row earlier or later
  kLostTerm,            // a term of an addition is left out: a shard of a sum, or a use of a shared variable
  kDoubledTerm,         // a term of an addition is added twice, in place of another term
  kMissingVote,         // a tensor that an update uses is not in the finite check
  kWrongMicroBatch,     // an op reads the value of the micro-batch before or after its own
  kWrongSlot,           // an addition adds the term of another sum of the same micro-batch
  kPartialForWhole,     // an op reads a partial sum instead of the sum
  kEarlyUpdate,         // variables are updated before the last addition to a sum
  kStaleSharedValue,  // the value of a shared variable arrives after its use, so the op reads the value of an
                      // earlier step
  kReorderedActions,  // an instruction runs before the instruction whose result it reads
};
// Returns all mutations in the order of the enumeration.
const std::vector<Mutation>& all_mutations();
// Returns the name, such as "dropped-count".
const char* name_of(Mutation mutation);
// Returns the mutation with this name. Fails, listing all names, if there is none.
Result<Mutation> parse_mutation(const std::string& name);

}  // namespace cutset
