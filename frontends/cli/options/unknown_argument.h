// SPDX-License-Identifier: Apache-2.0
// Errors about arguments that a command does not have.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cutset::cli {

// Names the first of the arguments that is an option which the command does not have, and the options that
// were probably meant:
// - the option that has this name in PyTorch or in programs that train with it: --lr;
// - otherwise those whose words have its letters as initials, those that differ in the fewest letters, or
// those that
//   begin with it.
// Returns an empty text if there is no such argument.
std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace cutset::cli
