// SPDX-License-Identifier: Apache-2.0
#include <cutset/saved.h>

#include <memory>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/initial_variables.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"

namespace cutset::cli {

CLI::App* add_compile(CLI::App& app) {
  struct CompileOptions {
    CommonOptions common;
    InitialVariables init;
    std::string output;
    bool no_initial_values = false;
  };
  auto o = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand("compile", "compile a model to a saved program");
  o->common.add_to(*command, {});
  command->add_option("-o,--output", o->output, "the file to write")->check(path_name())->required();
  command->add_flag("--no-initial-values", o->no_initial_values,
                    "a small file: values that can be drawn again are left out");
  o->init.add_to(*command);
  command->callback([o] {
    const CommonOptions& c = o->common;
    OutputFiles outputs;
    c.add_inputs(outputs);
    outputs.reads("--init", o->init.file);
    outputs.file("-o", o->output);
    add_dump_folder(outputs, c.compile.dump_directory);
    const std::string& file = o->init.file;
    const Graph graph = c.graph();
    const auto compiled = c.compile_options(c.devices.front());
    const SaveOptions save{.weights = file, .read = o->init.read, .initial_values = !o->no_initial_values};
    note_loaded(file, reading_init([&] { return save_program(graph, compiled, o->output, save); }));
  });
  return command;
}

}  // namespace cutset::cli
