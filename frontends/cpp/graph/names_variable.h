// SPDX-License-Identifier: Apache-2.0
// Patterns that name variables.
#pragma once
#include <string_view>

namespace cutset {

// Returns whether `pattern` names the variable or tensor `name`, or a state of the variable. A pattern names
// a variable if it is the name, or the beginning of the name before a "." or a "/". A "*" stands for any
// characters. Users write patterns in VariableFileOptions::except and for Graph::freeze. The time grows with
// the product of the lengths.
bool names_variable(std::string_view pattern, std::string_view name);

}  // namespace cutset
