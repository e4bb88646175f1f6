// SPDX-License-Identifier: Apache-2.0
// Finds elements and results that are not finite, or outside a range, for error messages.
#pragma once
#include <span>
#include <string>

#include "runtime/files/host_tensor.h"
#include "runtime/program/program.h"
#include "runtime/program/value_range.h"

namespace cutset {

// Returns, for example, "inf at element [0, 3]", and an empty string if all elements are finite. Integer
// tensors are always finite.
std::string first_non_finite(const HostTensor& tensor);
// Returns the same for the first element that is not finite and differs from its value in `before`, a tensor
// of the same type. An infinity that is also in `before` is not an error of a computation: a mask may hold
// it.
std::string first_non_finite(const HostTensor& tensor, const HostTensor& before);
// Returns the same for the first element that is NaN.
std::string first_nan(const HostTensor& tensor);
// Returns the first element that is not in the range, for a tensor of any type: "7 at element [3]".
std::string first_outside(const HostTensor& tensor, const ValueRange& range);
// Returns the first scalar result of a function that is not finite, such as "result 'loss' is nan", because a
// step with it is not committed. Empty if there is none. `results` are in the order of the function.
std::string refused_result(const Function& function, std::span<const HostTensor> results);
// Returns the first result of a function that has NaN, such as "result 'logits' is nan at element [0, 3]".
// Empty if there is none.
std::string result_with_nan(const Function& function, std::span<const HostTensor> results);

}  // namespace cutset
