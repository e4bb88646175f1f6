// SPDX-License-Identifier: Apache-2.0
// Kinds of mutations of the memory that an instruction reads.
#pragma once
#include "runtime/verify/mutations/kind.h"

namespace cutset::mutations {

// The enumeration Mutation in runtime/verify/mutation_names.h says what each kind does.
extern const Kind stale_read, wrong_micro_batch, partial_for_whole, wrong_slot, exchanged_variables;

}  // namespace cutset::mutations
