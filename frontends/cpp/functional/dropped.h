// SPDX-License-Identifier: Apache-2.0
// The dropout of layers and functions.
#pragma once
#include <cutset/tensor.h>

#include <source_location>
#include <string>

namespace cutset {

// Appends a dropout of x: in functions that train, elements are 0 with a probability and the others are
// divided by 1 - probability. The mask depends on `stream`, the seed of the graph, the step and the index of
// the element. `what` names the call in errors. Throws if the probability is not in [0, 1); the caller undoes
// what was appended.
Tensor dropped(const Tensor& x, const std::string& what, double probability, const std::string& stream,
               std::source_location source);

}  // namespace cutset
