// SPDX-License-Identifier: Apache-2.0
// The options for initial values of variables from a file.
#pragma once
#include <cutset/error.h>
#include <cutset/variable_file.h>

#include <CLI/CLI.hpp>
#include <string>

namespace cutset::cli {

struct InitialVariables {
  std::string file;  // empty: the initial values of the graph
  VariableFileOptions read;

  // Adds --init and --init-except to a command.
  void add_to(CLI::App& app);
};

// Throws `error` again, with the name of the option in place of VariableFileOptions::except.
[[noreturn]] void raise_with_init_except(const Error& error);

// Calls `read`, which reads the file of --init, and returns its result. Errors name options of the command.
template <class Read>
auto reading_init(const Read& read) {
  try {
    return read();
  } catch (const Error& e) {
    raise_with_init_except(e);
  }
}

// Prints notes to standard error: what was done with the tensors of the file `path`, and which variables the
// file lacks.
void note_loaded(const std::string& path, const LoadedVariables& loaded);

}  // namespace cutset::cli
