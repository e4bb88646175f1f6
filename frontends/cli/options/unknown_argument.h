// SPDX-License-Identifier: Apache-2.0
// Errors about arguments that a command does not have.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cutset::cli {

// Names the first argument that is an unknown option, and the options that were probably meant:
// - the option that has this name in PyTorch or in programs that train with it: --lr;
// - otherwise the options whose words have the letters of the name as initials;
// - otherwise the options that differ from the name in the fewest letters;
// - otherwise the options that begin with the name.
//
// Returns an empty text if there is no unknown option.
std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace cutset::cli
