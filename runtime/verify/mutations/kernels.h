// SPDX-License-Identifier: Apache-2.0
// Kinds of mutations of kernels and their attributes.
#pragma once
#include "runtime/verify/mutations/kind.h"

namespace cutset::mutations {

// The enumeration Mutation in runtime/verify/mutation_names.h says what each kind does.
extern const Kind dropped_count, local_count, lost_division, wrong_kernel, wrong_axis, wrong_first_element,
    wrong_slice, lost_term, doubled_term, missing_vote;

}  // namespace cutset::mutations
