// SPDX-License-Identifier: Apache-2.0
#include <cutset/explain.h>

#include <memory>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"

namespace cutset::cli {

CLI::App* add_plan(CLI::App& app) {
  struct PlanOptions {
    CommonOptions common;
    std::string output = "-";
  };
  auto o = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand("plan", "print the devices of ops and the schedule, for --plan");
  o->common.add_to(*command, {});
  command->add_option("-o,--output", o->output, "file for the plan; - is standard output")
      ->check(path_name())
      ->capture_default_str();
  command->callback([o] {
    const CommonOptions& c = o->common;
    OutputFiles outputs;
    c.add_inputs(outputs);
    outputs.file("-o", o->output, true);
    add_dump_folder(outputs, c.compile.dump_directory);
    write_text(o->output, plan(c.graph(), c.compile_options(c.devices.front())));
  });
  return command;
}

}  // namespace cutset::cli
