// SPDX-License-Identifier: Apache-2.0
// Finds the trainable variables that a user names, and implements Graph::freeze and Graph::freeze_except.
#pragma once
#include <source_location>
#include <string>
#include <vector>

#include "frontends/cpp/graph/graph_state.h"

namespace cutset {

// Returns the variables of `trainable` that elements of `names` stand for, in the order of `trainable`.
// Throws if an element stands for none.
std::vector<std::string> variables_named(std::vector<std::string> trainable,
                                         const std::vector<std::string>& names, std::source_location source);

// Freezes the trainable variables that elements of `names` stand for, or, with `others`, all other trainable
// variables. Returns the names of the variables that it has frozen. Throws, and freezes nothing, if an
// element stands for no trainable variable.
std::vector<std::string> freeze_variables(GraphState& state, const std::vector<std::string>& names,
                                          bool others, std::source_location source);

}  // namespace cutset
