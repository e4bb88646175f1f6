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
  CLI::App* command = app.add_subcommand(
      "compile",
      "compile a model to a saved program, which cutset run and cutset::SavedProgram run without a compiler");
  o->common.add_to(*command, {});
  command->add_option("-o,--output", o->output, "the file to write")->check(path_name())->required();
  command->add_option("--init", o->init, "safetensors file of variables; other variables keep their initial values")
      ->check(path_name());
  command->callback([o] {
    const CommonOptions& c = o->common;
    OutputFiles outputs;
    outputs.file("-o", o->output);
    outputs.folder("--dump-dir", c.compile.dump_directory);
    note_missing(o->init, save_program(c.graph(), c.compile_options(c.devices.front()), o->output, o->init));
  });
}

}  // namespace cutset::cli
