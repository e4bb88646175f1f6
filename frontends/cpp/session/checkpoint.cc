// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/checkpoint.h"

#include "frontends/cpp/session/fit_variables.h"
#include "runtime/files/safetensors.h"

namespace cutset {

// Fails unless the file, which is read after a failure, gives values to every variable.
static Status names_every_variable(const std::string& path, const LoadedVariables& loaded,
                                   const VariableFileOptions& options) {
  if (!options.except.empty())
    return invalid_argument("after a device failed, a checkpoint must give values to every variable",
                            "load it without exceptions, or begin with a new session or program");
  if (loaded.complete()) return {};
  return invalid_argument("'" + path + "' has no tensor '" + loaded.first_missing() +
                              "'; after a device failed, a checkpoint must name every variable",
                          "load one that the same program saved, or begin with a new session or program");
}

Result<LoadedVariables> read_checkpoint(const std::string& path, const VariableFileOptions& options,
                                        const std::vector<Variable>& variables,
                                        std::unique_ptr<Executor>& executor, uint64_t& step,
                                        const std::function<Status()>& reopen) {
  Metadata metadata;
  CUTSET_ASSIGN(TensorMap tensors, read_safetensors(path, &metadata));
  CUTSET_ASSIGN(LoadedVariables loaded, fit_variables(path, tensors, variables, options));
  uint64_t read = step;
  CUTSET_TRY(read_step(path, metadata, read));
  if (executor->health().failed()) {
    CUTSET_TRY(names_every_variable(path, loaded, options));
    CUTSET_TRY(reopen());
  }
  for (const auto& [name, value] : tensors) CUTSET_TRY(executor->variables().write(name, value));
  step = read;
  return loaded;
}

Status write_checkpoint(const std::string& path, Executor& executor, uint64_t step,
                        const std::map<std::string, std::string>& notes) {
  Metadata metadata = step_metadata(step);
  for (const auto& [name, text] : notes) {
    if (name.starts_with(kReservedNotes))
      return invalid_argument("a note has the name '" + name + "'",
                              "names that begin with 'cutset.' are reserved");
    metadata.emplace(name, text);
  }
  TensorMap tensors;
  for (const std::string& name : executor.variables().names()) {
    auto value = executor.variables().read(name);
    // After a failure the device of another replica may still respond, and its copy has the same bits.
    for (size_t copy = 1; !value && copy < executor.variables().copies(name); ++copy)
      value = executor.variables().read(name, copy);
    if (!value) return value.error();
    tensors.emplace(name, *std::move(value));
  }
  return write_safetensors(path, tensors, metadata);
}

}  // namespace cutset
