// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/variable_access.h"

#include "ir/core/names.h"

namespace cutset {

Result<HostTensor> read_variable(Executor& executor, const std::string& name, int64_t copy) {
  if (copy < 0)
    return invalid_argument("variable '" + name + "' has no copy " + std::to_string(copy),
                            "copies are numbered from 0");
  return executor.variables().read(name, static_cast<size_t>(copy));
}

Result<int64_t> count_copies(Executor& executor, const std::string& name) {
  const size_t copies = executor.variables().copies(name);
  if (copies == 0)
    return invalid_argument("there is no variable '" + name + "'",
                            hint_of_names(name, executor.variables().names()));
  return static_cast<int64_t>(copies);
}

}  // namespace cutset
