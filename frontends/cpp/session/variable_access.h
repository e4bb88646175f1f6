// SPDX-License-Identifier: Apache-2.0
// Reads variables of an executor by name and copy. Sessions and saved programs share it.
#pragma once
#include <cstdint>
#include <string>

#include "runtime/execute/executor.h"

namespace cutset {

// Returns copy `copy` of a variable. Fails if there is no such variable or copy.
Result<HostTensor> read_variable(Executor& executor, const std::string& name, int64_t copy);
// Returns the number of whole copies of a variable. Fails if there is no such variable.
Result<int64_t> count_copies(Executor& executor, const std::string& name);

}  // namespace cutset
