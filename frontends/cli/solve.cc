// cutset solve runs the planner's solvers on instances from files, for research and tests.
#include "frontends/cli/options.h"

namespace cutset::cli {

void add_solve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("solve", "run one of the planner's solvers on an instance from a file");
  command->require_subcommand(1);
  add_solve_memory(*command);
  add_solve_schedule(*command);
}

}  // namespace cutset::cli
