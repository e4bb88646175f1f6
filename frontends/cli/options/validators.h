// SPDX-License-Identifier: Apache-2.0
// Checks of the values of options.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cutset::cli {

// A name that is not empty.
CLI::Validator path_name();
// A whole number without a sign.
CLI::Validator whole_number();
// A finite number in a range, with both ends.
CLI::Validator number_between(double least, double most);
// One of these names, which are in small letters. It may be given in capitals, which it loses.
// Option::transform takes this validator. The error lists the names, and asks whether the nearest one was
// meant.
CLI::Validator one_of(std::vector<std::string> names);

}  // namespace cutset::cli
