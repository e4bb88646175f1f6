// SPDX-License-Identifier: Apache-2.0
// Reads and writes the variables of an executor as checkpoints. Sessions and saved programs share it.
#pragma once
#include <cutset/variable_file.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/execute/executor.h"

namespace cutset {

inline constexpr char kReservedNotes[] =
    "cutset.";  // the prefix of the names of notes that the library reserves

// Reads the file as Session::load does, sets the variables that it names, and sets `step` if the file holds
// it. After a failure of a device the file must name every variable, and `reopen` must make `executor` usable
// again before the variables are set.
Result<LoadedVariables> read_checkpoint(const std::string& path, const VariableFileOptions& options,
                                        const std::vector<Variable>& variables,
                                        std::unique_ptr<Executor>& executor, uint64_t& step,
                                        const std::function<Status()>& reopen);
// Writes all variables, `step` and `notes` to a file, as Session::save does.
Status write_checkpoint(const std::string& path, Executor& executor, uint64_t step,
                        const std::map<std::string, std::string>& notes);

}  // namespace cutset
