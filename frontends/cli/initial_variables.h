// The options for initial values of variables that a file gives.
#pragma once
#include <cutset/variable_file.h>

#include <CLI/CLI.hpp>
#include <string>

namespace cutset::cli {

struct InitialVariables {
  std::string file;  // empty: the initial values of the graph
  VariableFileOptions read;

  // Adds --init and --init-except to a subcommand.
  void add_to(CLI::App& app);
};

// Prints one note per fact to standard error: what was done with the tensors of the file `path`, and which variables it lacks.
void note_loaded(const std::string& path, const LoadedVariables& loaded);

}  // namespace cutset::cli
