#include <cutset/saved.h>

#include <memory>

#include "frontends/cli/initial_variables.h"
#include "frontends/cli/options.h"
#include "frontends/cli/outputs.h"

namespace cutset::cli {

void add_compile(CLI::App& app) {
  struct CompileOptions {
    CommonOptions common;
    InitialVariables init;
    std::string output;
  };
  auto o = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand(
      "compile",
      "compile a model to a saved program, which cutset run and cutset::SavedProgram run without a compiler");
  o->common.add_to(*command, {});
  command->add_option("-o,--output", o->output, "the file to write")->check(path_name())->required();
  o->init.add_to(*command);
  command->callback([o] {
    const CommonOptions& c = o->common;
    OutputFiles outputs;
    c.add_inputs(outputs);
    outputs.reads("--init", o->init.file);
    outputs.file("-o", o->output);
    add_dump_folder(outputs, c.compile.dump_directory);
    const std::string& file = o->init.file;
    note_loaded(file, save_program(c.graph(), c.compile_options(c.devices.front()), o->output, file, o->init.read));
  });
}

}  // namespace cutset::cli
