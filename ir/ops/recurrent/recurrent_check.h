// SPDX-License-Identifier: Apache-2.0
// The constraints that lstm, gru, rnn and their backward ops share.
#pragma once
#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// The types that follow from the types of x and the weight.
struct RecurrentTypes {
  TensorType states;  // [batch, steps, hidden]
  TensorType state;   // [batch, hidden]
  int64_t hidden() const { return state.shape[1]; }
};

// Fails if x, [batch, steps, parts * hidden], or the weight, [parts * hidden, hidden], violates constraint C1
// or C2.
Result<RecurrentTypes> recurrent_types(const TensorType& x, const TensorType& weight, int64_t parts);
// Fails unless the operand `what` has the type `wanted`.
Status require_type(const char* constraint, const char* what, const TensorType& type,
                    const TensorType& wanted);
// Fails if the lengths violate constraint C4.
Status check_lengths(const TensorType& lengths, const RecurrentTypes& t);

}  // namespace cutset
