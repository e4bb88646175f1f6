#include <cutset/saved.h>

#include <memory>

#include "frontends/cli/options.h"
#include "frontends/cli/outputs.h"

namespace cutset::cli {

void add_compile(CLI::App& app) {
  struct Options {
    CommonOptions common;
    std::string output, init;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("compile", "a saved program: runs without a compiler, by cutset run or cutset::SavedProgram");
  o->common.add_to(*command, {});
  command->add_option("-o,--output", o->output, "the file")->check(path_name())->required();
  command->add_option("--init", o->init, "safetensors file of variables; the rest has first values")
      ->check(path_name());
  command->callback([o] {
    const CommonOptions& c = o->common;
    OutputFiles outputs;
    outputs.file("-o", o->output);
    outputs.folder("--dump-dir", c.dump_directory);
    note_missing(o->init, save_program(c.graph(), c.compile_options(c.devices.front()), o->output, o->init));
  });
}

}  // namespace cutset::cli
