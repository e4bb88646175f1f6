#include "frontends/cli/initial_variables.h"

#include <cstdio>

#include "frontends/cli/options.h"
#include "frontends/cli/terminal.h"

namespace cutset::cli {

void InitialVariables::add_to(CLI::App& app) {
  CLI::Option* init =
      app.add_option("--init", file,
                     "safetensors file of variables, also with elements of f16, bf16 or f64, with names that all begin "
                     "with 'module.' or the like, and with PyTorch's counters num_batches_tracked, which are left out; "
                     "other variables keep their initial values" +
                         std::string(read.states ? "" : "; states of an optimizer are left out"))
          ->check(path_name());
  app.add_option("--init-except", read.except,
                 "variables that keep their initial values although the file of --init has them, such as a last layer "
                 "with another number of classes: NAME,NAME; fc stands for fc.weight and fc.bias")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(init);
}

void note_loaded(const std::string& path, const LoadedVariables& loaded) {
  for (const std::string& note : loaded.notes)
    std::fprintf(stderr, "note: '%s': %s\n", printable(path).c_str(), printable(note).c_str());
  const auto note_missing = [&](const std::vector<std::string>& names, const char* what) {
    if (names.empty()) return;
    std::fprintf(stderr, "note: '%s' does not name %zu of the %s, such as '%s'; they keep their initial values\n",
                 printable(path).c_str(), names.size(), what, printable(names.front()).c_str());
  };
  note_missing(loaded.missing, "variables of the model");
  note_missing(loaded.missing_states, "states of the optimizer");
}

}  // namespace cutset::cli
