// SPDX-License-Identifier: Apache-2.0
// Kinds of mutations of transfers, sums and the order of the instructions.
#pragma once
#include "runtime/verify/mutations/kind.h"

namespace cutset::mutations {

// The enumeration Mutation in runtime/verify/mutation_names.h says what each kind does.
extern const Kind missing_all_reduce, swapped_recv, wrong_share, update_twice, dropped_update, early_update,
    stale_shared_value, reordered_actions;

}  // namespace cutset::mutations
