// SPDX-License-Identifier: Apache-2.0
// Plants errors in the memory and in the order of compiled functions: memory that is used again while its
// value is still needed, and queues that do not wait for each other. Each of these programs is wrong by
// construction.
#pragma once
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace cutset::testing {

struct ReuseDefect {
  std::string kind;    // "frame slot too few"
  std::string what;    // the change
  std::string device;  // the device whose memory is used wrongly
  Function function;   // expanded
};

// Returns the kinds of the defects that reuse_defects() makes.
const std::vector<std::string>& reuse_defect_kinds();
// Returns at most `most` defects of each kind, spread over the function, which need not be expanded.
std::vector<ReuseDefect> reuse_defects(const Function& function, size_t most);

}  // namespace cutset::testing
