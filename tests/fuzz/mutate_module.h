// SPDX-License-Identifier: Apache-2.0
// Makes random changes to the text of a module.
#pragma once
#include <string>

#include "ir/core/philox.h"

namespace cutset::fuzz {

// Changes words, numbers, operands or lines, one to four times. The text may no longer be a module.
std::string mutate_module(std::string text, PhiloxSequence& random);

}  // namespace cutset::fuzz
