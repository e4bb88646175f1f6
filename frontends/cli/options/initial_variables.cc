// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/initial_variables.h"

#include <cstdio>

#include "frontends/cli/options/options.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"

namespace cutset::cli {

void InitialVariables::add_to(CLI::App& app) {
  app.option_defaults()->group("Variables");
  CLI::Option* init =
      app.add_option("--init", file, "file of variables to begin with (safetensors)")->check(path_name());
  app.add_option("--init-except", read.except, "layers or variables that the file does not set")
      ->type_name("NAME,NAME")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(init);
}

void raise_with_init_except(const Error& error) {
  constexpr std::string_view kInLibrary = "VariableFileOptions::except";
  std::string hint = error.hint();
  if (const size_t at = hint.find(kInLibrary); at != std::string::npos)
    hint.replace(at, kInLibrary.size(), "--init-except");
  throw Error(error.code(), message_of(error), error.source(), hint);
}

void note_loaded(const std::string& path, const LoadedVariables& loaded) {
  for (const std::string& note : loaded.notes)
    std::fprintf(stderr, "note: '%s': %s\n", printable(path).c_str(), printable(note).c_str());
  const auto note_missing = [&](const std::vector<std::string>& names, const char* what) {
    if (names.empty()) return;
    std::fprintf(stderr,
                 "note: '%s' does not name %zu of the %s, such as '%s'; they keep their initial values\n",
                 printable(path).c_str(), names.size(), what, printable(names.front()).c_str());
  };
  note_missing(loaded.missing, "variables of the model");
  note_missing(loaded.missing_states, "states of the optimizer");
}

}  // namespace cutset::cli
