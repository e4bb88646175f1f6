// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/initial_variables.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"

namespace cutset::cli {
namespace {

struct ExportOptions {
  CommonOptions common;  // only the model, its sizes, the batch and the seed
  InitialVariables init;
  onnx::ExportOptions to;  // its members `weights` and `read` are set later
  std::string output, json;
};

void report(const ExportOptions& o, const onnx::ExportedFile& exported) {
  note_loaded(o.init.file, exported.loaded);
  if (!exported.open_batch && o.to.open_batch)
    std::fprintf(stderr, "note: the model has the fixed batch of the graph: %s\n",
                 printable(exported.why_fixed).c_str());
  if (o.json != "-") {
    std::string files;
    for (const std::string& file : exported.files) files += (files.empty() ? "" : " and ") + printable(file);
    write_text("-", "wrote " + files + ": the function '" + exported.function + "' with " +
                        std::to_string(exported.nodes) + " nodes and " +
                        std::to_string(exported.weight_bytes) + " bytes of weights, for " +
                        (exported.open_batch ? "any batch" : "a fixed batch") + "\n");
  }
  if (!o.json.empty())
    write_json(o.json, {{"function", exported.function},
                        {"files", exported.files},
                        {"nodes", exported.nodes},
                        {"weight_bytes", exported.weight_bytes},
                        {"open_batch", exported.open_batch},
                        {"why_fixed", exported.why_fixed}});
}

}  // namespace

CLI::App* add_export(CLI::App& app) {
  auto o = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "write a function of a model as an ONNX model");
  o->common.add_model_options(*command);
  o->init.add_to(*command);
  command->option_defaults()->group("ONNX file");
  command->add_option("-o,--output", o->output, "the ONNX file to write")->check(path_name())->required();
  command
      ->add_option("--function", o->to.function, "the function to write; default: predict, or else evaluate")
      ->check(path_name())
      ->type_name("NAME");
  command->add_flag_callback(
      "--fixed-batch", [o] { o->to.open_batch = false; }, "write the batch of --batch into the model");
  command->add_flag("--external-data", o->to.external_data, "write the weights to FILE.onnx.data");
  command->add_option("--json", o->json, kJsonHelp)->check(path_name());
  command->callback([o] {
    OutputFiles outputs;
    o->common.add_inputs(outputs);
    outputs.reads("--init", o->init.file);
    outputs.file("-o", o->output);
    outputs.file("--external-data", o->output + ".data");
    outputs.file("--json", o->json, true);
    onnx::ExportOptions to = o->to;
    to.weights = o->init.file;
    to.read = o->init.read;
    const Graph graph = o->common.graph();
    report(*o, reading_init([&] { return onnx::export_file(o->output, graph, to); }));
  });
  return command;
}

}  // namespace cutset::cli
