// SPDX-License-Identifier: Apache-2.0
// Checks of the values of options.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cutset::cli {

// Accepts a name that is not empty.
CLI::Validator path_name();
// Accepts a whole number without a sign.
CLI::Validator whole_number();
// Accepts a finite number in [least, most].
CLI::Validator number_between(double least, double most);
// Accepts one of these names, which are in small letters, and changes capitals of the argument to small
// letters. Option::transform takes this validator. The error lists the names, and asks whether the nearest
// name was meant.
CLI::Validator one_of(std::vector<std::string> names);

}  // namespace cutset::cli
