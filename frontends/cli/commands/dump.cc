// SPDX-License-Identifier: Apache-2.0
#include <cutset/explain.h>

#include <memory>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/bridge/bridge.h"
#include "frontends/cpp/checks/failure.h"
#include "ir/core/names.h"

namespace cutset::cli {

CLI::App* add_dump(CLI::App& app) {
  struct DumpOptions {
    CommonOptions common;
    std::string to = "lower", output;
  };
  auto o = std::make_shared<DumpOptions>();
  CLI::App* command = app.add_subcommand("dump", "print or draw the program after a phase of the compiler");
  o->common.add_to(*command, {.log = true, .picture = true});
  CLI::Option* to = command->add_option("--to,--compile-to", o->to)->capture_default_str();
  // The compiler, which knows the phases, is loaded for this command only.
  command->preparse_callback([to](size_t) {
    const std::vector<std::string> phases = check(load_compiler())->phases();
    to->description(plain_list(phases))->transform(one_of(phases))->type_name("PHASE");
  });
  command->add_option("-o,--output", o->output, "file for the MLIR; - is standard output")
      ->check(path_name());
  command->callback([o] {
    const CommonOptions& c = o->common;
    OutputFiles outputs;
    c.add_inputs(outputs);
    const std::string output = o->output.empty() && c.dot.empty() ? "-" : o->output;
    outputs.file("-o", output, true);
    outputs.picture("--dot", c.dot);
    add_dump_folder(outputs, c.compile.dump_directory);
    const Dump dumped = dump(c.graph(), c.compile_options(c.devices.front()), o->to);
    for (const std::string& topic : c.log)
      std::fputs(printable(topic == "place" ? dumped.placement_log : dumped.kernel_log, true).c_str(),
                 stderr);
    if (!output.empty()) write_text(output, dumped.mlir);
    if (!c.dot.empty()) write_picture(c.dot, dumped.drawings.at(c.level_of_picture()));
  });
  return command;
}

}  // namespace cutset::cli
