// Errors about arguments that a command does not have.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cutset::cli {

// Names the first of the arguments that is an option which the command does not have, and the options whose
// names are like it: those that begin with it, those whose words have its letters as initials, and those that
// differ in a few letters. Returns an empty text if there is no such option.
std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace cutset::cli
