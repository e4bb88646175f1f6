// SPDX-License-Identifier: Apache-2.0
#include <cutset/explain.h>

#include <memory>

#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"

namespace cutset::cli {

void add_dump(CLI::App& app) {
  struct DumpOptions {
    CommonOptions common;
    std::string to = "lower", output;
  };
  auto o = std::make_shared<DumpOptions>();
  CLI::App* command = app.add_subcommand("dump", "print or draw the program after a phase of the compiler");
  command->group("Look inside");
  o->common.add_to(*command, {.log = true, .picture = true});
  command
      ->add_option("--to,--compile-to", o->to, "import, differentiate, split, place, cut, communicate, lower")
      ->transform(one_of({"import", "differentiate", "split", "place", "cut", "communicate", "lower"}))
      ->type_name("PHASE")
      ->capture_default_str();
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
    const Dump made = dump(c.graph(), c.compile_options(c.devices.front()), o->to);
    for (const std::string& topic : c.log)
      std::fputs(printable(topic == "place" ? made.placement_log : made.kernel_log, true).c_str(), stderr);
    if (!output.empty()) write_text(output, made.mlir);
    if (!c.dot.empty()) write_picture(c.dot, made.drawings.at(c.level_of_picture()));
  });
}

}  // namespace cutset::cli
