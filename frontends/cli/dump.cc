#include <cutset/explain.h>

#include <memory>

#include "frontends/cli/options.h"
#include "frontends/cli/outputs.h"
#include "frontends/cli/terminal.h"

namespace cutset::cli {

void add_dump(CLI::App& app) {
  struct DumpOptions {
    CommonOptions common;
    std::string to = "lower", output;
  };
  auto o = std::make_shared<DumpOptions>();
  CLI::App* command =
      app.add_subcommand("dump", "print the program of a model after a phase of the compiler, as MLIR; --dot draws it");
  o->common.add_to(*command, {.log = true, .picture = true});
  command
      ->add_option("--to,--compile-to", o->to,
                   "the last phase: import, differentiate, split, place, cut, communicate or lower")
      ->check(CLI::IsMember({"import", "differentiate", "split", "place", "cut", "communicate", "lower"}))
      ->capture_default_str();
  command
      ->add_option("-o,--output", o->output,
                   "file for the MLIR; - is standard output; default: standard output, or no MLIR if --dot is given")
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
    if (!c.dot.empty()) write_picture(c.dot, c.dot_level == "op" ? made.dot_ops : made.dot_layers);
  });
}

}  // namespace cutset::cli
