// SPDX-License-Identifier: Apache-2.0
// Kinds of mutations of transfers, sums and the order of the instructions.
#pragma once
#include "runtime/verify/mutations/kind.h"

namespace cutset::mutations {

// What each of them does: Mutation in runtime/verify/mutation_names.h.
extern const Kind missing_all_reduce, swapped_recv, wrong_share, update_twice, dropped_update, early_update,
    stale_shared_value, reordered_actions;

}  // namespace cutset::mutations
