#include <cutset/explain.h>

#include <memory>

#include "frontends/cli/options.h"

namespace cutset::cli {

void add_plan(CLI::App& app) {
  struct Options {
    CommonOptions common;
    std::string output = "-";
  };
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "where each op runs, as a table to edit and to give to --plan (docs/plan-format.md)");
  o->common.add_to(*command);
  command->add_option("-o,--output", o->output, "file for the plan; - is standard output")->capture_default_str();
  command->callback([o] {
    const CommonOptions& c = o->common;
    write_text(o->output,
               plan(models::find(c.model).build({c.batch, c.seed, {}}), c.compile_options(c.devices.front())));
  });
}

}  // namespace cutset::cli
