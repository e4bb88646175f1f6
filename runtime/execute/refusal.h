// SPDX-License-Identifier: Apache-2.0
// The error of a step that was not committed, because a result or a tensor that an update needs is not
// finite. It names the input that explains this, if there is one.
#pragma once
#include <span>
#include <string>

#include "runtime/execute/feeds.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Returns this error. `why` says what is not finite. `inputs` are the inputs of the caller (caller_inputs),
// in the order of the function, and feeds.ranges has the ranges of the inputs that are labels or indices.
Failure refused_step(const Function& function, const Feeds& feeds, const std::string& why,
                     std::span<const HostTensor* const> inputs);

}  // namespace cutset
