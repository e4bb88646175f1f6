// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/options.h"

#include <algorithm>

#include "frontends/cli/options/help.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/session/configure.h"
#include "graph/config/plan.h"
#include "ir/core/names.h"
#include "runtime/files/files.h"

namespace cutset::cli {

void CommonOptions::add_model_options(CLI::App& app) {
  app.option_defaults()->group("Model");
  app.add_option("model", model, "a built-in model, or FILE.onnx")->required();
  app.footer(footer_of_models);
  batch_option = app.add_option("--batch", batch, "samples per step")
                     ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
                     ->capture_default_str();
  app.add_option("--seed", seed, "seed of the initial values and of the order of samples")
      ->check(whole_number())
      ->capture_default_str();
  sizes.add_to(app);
  known.add_to(app);
}

void add_device_file(CLI::App& app, std::string& file) {
  app.add_option("--device-file", file, "JSON file with speeds, memory and threads of devices")
      ->check(path_name())
      ->envname("CUTSET_DEVICE_FILE");
}

void CommonOptions::add_devices(CLI::App& app, bool several) {
  app.option_defaults()->group("Devices");
  CLI::Option* option = app.add_option("--devices", devices,
                                       several ? "devices: cpu:0,opencl:0; repeat it to compare runs"
                                               : "devices: cpu:0,opencl:0")
                            ->type_name("LIST")
                            ->capture_default_str();
  if (several)
    option->take_all();
  else
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  app.add_option("--strategy", compile.strategy,
                 "model, data(2), tensor(2), pipeline(2, micro_batches=4), products")
      ->type_name("STRATEGY");
  app.add_option("--plan", plan, "placement and schedule, as cutset plan writes them")->check(path_name());
  add_device_file(app, compile.device_file);
  app.add_option("--threads", compile.threads, "threads per CPU device")->check(CLI::Range(1, 1024));
  app.add_option("--dtype", dtype, "floating-point numbers: f32 or f64")
      ->transform(one_of({"f32", "f64"}))
      ->capture_default_str();
  app.add_flag("--deterministic", compile.deterministic,
               "the same bits for any number of threads and replicas");
  for (const FlagOption& o : kFlagOptions)
    if (o.in_commands)
      app.add_flag_callback("--" + name_of(o), [this, &o] { compile.*o.given = !o.initial; }, o.help);
  app.add_option("--simulation-seed", compile.simulation_seed,
                 "seed of the order in which sim devices run their queues")
      ->check(whole_number())
      ->capture_default_str();
  for (const NumberOption& o : kNumberOptions)
    app.add_option("--" + name_of(o), compile.*o.given, o.help)
        ->check(CLI::Range(o.least, o.most))
        ->capture_default_str();
}

void CommonOptions::add_frozen(CLI::App& app) {
  app.option_defaults()->group("Variables");
  const auto add = [&](const char* flag, auto& names, const char* help) {
    return app.add_option(flag, names, help)->delimiter(',')->allow_extra_args(false)->type_name("NAME,NAME");
  };
  CLI::Option* frozen = add("--freeze", freeze, "layers or variables that training leaves as they are");
  add("--freeze-except", freeze_except, "train only these layers or variables")->excludes(frozen);
}

void CommonOptions::add_reports(CLI::App& app, const Uses& uses) {
  app.option_defaults()->group("Reports");
  if (uses.json) app.add_option("--json", json, kJsonHelp)->check(path_name());
  if (uses.log)
    app.add_option("--log", log, "print decisions of the compiler: place, dispatch")
        ->delimiter(',')
        ->transform(one_of({"place", "dispatch"}))
        ->envname("CUTSET_LOG");
  app.add_option("--dump-dir", compile.dump_directory, "folder for the program after every phase")
      ->check(path_name())
      ->envname("CUTSET_DUMP");
  if (!uses.picture) return;
  app.add_option("--dot", dot, "drawing of the partitioned graph, as DOT and SVG")
      ->check(path_name())
      ->check([](const std::string& path) {
        return path.ends_with(".svg")
                   ? "'" + path +
                         "' ends in .svg; the option names the DOT file, and the SVG is written beside it"
                   : std::string();
      });
  app.add_option("--dot-level", dot_level,
                 "one node per op, layer or block; default: the one that is readable")
      ->transform(one_of({"op", "layer", "block"}));
}

void CommonOptions::add_to(CLI::App& app, const Uses& uses) {
  add_model_options(app);
  app.add_option("--dropout", dropout, "probability of the dropout layers of a built-in model")
      ->check(number_between(0, 0.999));
  add_devices(app, uses.several_devices);
  onnx_loss.add_to(app);
  loss.add_to(app);
  optimizer.add_to(app);
  add_frozen(app);
  add_reports(app, uses);
}

std::optional<DotLevel> CommonOptions::level_of_picture() const {
  if (dot_level.empty()) return std::nullopt;
  return dot_level == "op" ? DotLevel::kOp : dot_level == "layer" ? DotLevel::kLayer : DotLevel::kBlock;
}

void CommonOptions::add_inputs(OutputFiles& outputs) const {
  add_model(outputs, model);
  outputs.reads("--plan", plan);
  outputs.reads("--device-file", compile.device_file);
  known.add_inputs(outputs);
  loss.add_inputs(outputs);
}

void add_dump_folder(OutputFiles& outputs, const std::string& folder) {
  outputs.folder("--dump-dir", folder);
  if (!folder.empty()) outputs.file("--dump-dir", folder + "/plan.txt");  // a file that --plan may name
}

Graph CommonOptions::graph(const data::Dataset* training, std::vector<std::string>* notes) const {
  Graph g = graph_before_freezing(training, notes);
  try {
    if (!freeze.empty()) g.freeze(freeze);
    if (!freeze_except.empty()) g.freeze_except(freeze_except);
  } catch (const Error& e) {
    raise_without_line(e, freeze.empty() ? "--freeze-except: " : "--freeze: ");
  }
  optimizer.apply(g, !is_onnx(model));
  return g;
}

Graph CommonOptions::graph_before_freezing(const data::Dataset* training,
                                           std::vector<std::string>* notes) const {
  if (!is_onnx(model)) {
    const std::vector<std::string> names = models::names();
    if (std::ranges::find(names, model) == names.end())
      raise(invalid_argument(
          "'" + model + "' is neither a built-in model nor an ONNX file, whose name ends in .onnx",
          "export a model of PyTorch with torch.onnx.export; the built-in models are " +
              list_and_nearest(model, names)));
    if (!known.arguments.empty()) raise(invalid_argument("--known is for ONNX models"));
    if (known.hard_links) raise(invalid_argument("--hard-links is for ONNX models"));
    if (onnx_loss.given())
      raise(invalid_argument(
          "--loss, --result and --class-axis are for ONNX models; a built-in model has its own loss"));
    return models::find(model).build({.batch = batch,
                                      .seed = seed,
                                      .other = optimizer.chosen(),
                                      .sizes = sizes.by_name(),
                                      .dropout = dropout,
                                      .loss = loss.read()});
  }
  if (dropout) raise(invalid_argument("--dropout is for built-in models"));
  onnx_loss.check_use();
  if (loss.given() && onnx_loss.loss != "cross_entropy")
    raise(invalid_argument("--ignore-index, --class-weights and --label-smoothing are for a cross entropy",
                           "give --loss cross_entropy, or leave them out"));
  const Batch sample = training ? *training->batch(1).begin() : Batch();
  std::map<std::string, Shape> shapes;
  for (const auto& [name, value] : sample) {
    Shape& shape = shapes[name] = value.type().shape;
    shape[0] = batch;
  }
  if (!onnx_loss.loss.empty()) shapes.erase("label");  // it is an input of the loss, and not of the model
  const onnx::Model imported =
      read_onnx(model, batch, sizes, known, std::move(shapes), onnx_loss.loss.empty());
  if (!sample.empty() || (batch_option && batch_option->count() > 0))
    check_batch(imported, sample, batch, sizes);
  if (notes) *notes = imported.training_notes;
  if (onnx_loss.loss.empty()) return imported.graph;
  std::optional<TensorType> label;
  if (training) {
    if (!sample.contains("label"))
      raise(invalid_argument("the samples have no 'label'", "give --samples label=FILE.npy"));
    label = sample.at("label").type();
    label->shape[0] = batch;
  }
  return onnx_loss.graph(imported, label, optimizer.chosen(), loss.read());
}

CompileOptions CommonOptions::compile_options(const std::string& on) const {
  CompileOptions o = compile;
  o.devices = on;
  if (!plan.empty()) {
    o.plan = check(read_file(plan, uint64_t{1} << 28));
    if (const auto parsed = parse_plan(*o.plan); !parsed.ok()) {
      Failure malformed = parsed.error();  // `source` is "plan:LINE:COLUMN"
      malformed.source.replace(0, std::string_view("plan").size(), plan);
      raise(malformed);
    }
  }
  o.f64 = dtype == "f64";
  o.on_note = print_note;
  return o;
}

void CommonOptions::check_devices() const {
  for (const std::string& run : devices) check(configure(compile_options(run)));
}

}  // namespace cutset::cli
