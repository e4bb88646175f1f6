// SPDX-License-Identifier: Apache-2.0
// cutset solve runs the planner's solvers on instances from files, for research and tests.
#include "frontends/cli/commands/commands.h"

namespace cutset::cli {

CLI::App* add_solve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("solve", "run a solver of the planner on an instance from a file");
  command->require_subcommand(1);
  add_solve_memory(*command);
  add_solve_schedule(*command);
  return command;
}

}  // namespace cutset::cli
