// SPDX-License-Identifier: Apache-2.0
#include <cutset/saved.h>
#include <cutset/session.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/arguments.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/function_inputs.h"
#include "ir/core/names.h"
#include "runtime/execute/finite.h"
#include "runtime/files/convert_floats.h"
#include "runtime/files/files.h"
#include "runtime/files/npy.h"

namespace cutset::cli {
namespace {

struct RunOptions {
  std::string file, function, output_directory, json, maps, trace;
  std::vector<std::string> inputs;
  int64_t repeat = 1;
  LoadOptions load;
  // The options of an ONNX model; a saved program has none of them.
  CompileOptions compile;
  ModelSizes sizes;
  KnownInputs known;
  std::optional<int64_t> batch;
};

// A saved program, or a session of an ONNX model.
struct Runnable {
  std::vector<std::string> functions;
  std::function<std::vector<SavedProgram::Input>(const std::string& function)> inputs;
  std::function<std::set<std::string>(const std::string& function)>
      read_inputs;  // the inputs on which a result depends
  std::function<Outputs(const std::string& function, const Batch&)> run;
  std::shared_ptr<Session> session;  // records a trace; null for a saved program
};

Runnable saved(const RunOptions& o) {
  auto program = std::make_shared<SavedProgram>(load_program(o.file, o.load));
  print_warnings(program->warnings());
  const auto read_inputs = [program](const std::string& function) {
    std::set<std::string> names;
    for (const SavedProgram::Input& input : program->inputs(function)) names.insert(input.name);
    return names;
  };
  return {
      program->functions(), [program](const std::string& function) { return program->inputs(function); },
      read_inputs,
      [program](const std::string& function, const Batch& batch) { return program->run(function, batch); },
      nullptr};
}

// Imports the model. The arrays of `batch` give the sizes that the model leaves open. If the user gave
// --batch, they do not give the first sizes.
Runnable imported(const RunOptions& o, const Batch& batch) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, value] : batch) {
    Shape& shape = shapes[name] = value.type().shape;
    if (o.batch && !shape.empty()) shape[0] = *o.batch;
  }
  const onnx::Model model = read_onnx(o.file, o.batch.value_or(1), o.sizes, o.known, std::move(shapes));
  if (o.batch) check_batch(model, {}, *o.batch, o.sizes);
  const Graph& graph = model.graph;
  CompileOptions options = o.compile;
  options.threads = o.load.threads;
  options.simulation_seed = o.load.simulation_seed;
  options.device_file = o.load.device_file;
  auto session = std::make_shared<Session>(compile(graph, options));
  print_warnings(session->warnings());
  const auto inputs = [graph](const std::string&) {
    std::vector<SavedProgram::Input> all;
    for (const auto& [name, type] : graph.inputs()) all.push_back({name, type});
    return all;
  };
  return {
      {"evaluate"},
      inputs,
      [graph](const std::string& function) { return inputs_of_function(graph, function); },
      [session](const std::string& function, const Batch& batch) { return session->run(function, batch); },
      session};
}

// Returns "predict" if the program has it, and otherwise "evaluate" or the first function.
std::string default_function(const std::vector<std::string>& names) {
  for (const char* usual : {"predict", "evaluate"})
    if (std::find(names.begin(), names.end(), usual) != names.end()) return usual;
  if (names.empty()) raise(invalid_data("the program has no function"));
  return names.front();
}

// Rounds arrays of f32 for inputs of bf16, because NumPy has no bf16. Throws in these cases:
// - The program does not have the function.
// - The program has no input with the name of an array.
// - An array has another element type than its input.
// - The array of an input is missing.
void fit_batch(const Runnable& program, const std::string& function, Batch& batch) {
  if (std::find(program.functions.begin(), program.functions.end(), function) == program.functions.end())
    raise(invalid_argument(
        "there is no function '" + function + "'",
        "the functions are " + quoted_list(program.functions) + and_nearest(function, program.functions)));
  const std::vector<SavedProgram::Input> inputs = program.inputs(function);
  std::vector<std::string> names;
  for (const auto& input : inputs) names.push_back(input.name);
  for (const auto& [name, value] : batch)
    if (std::find(names.begin(), names.end(), name) == names.end())
      raise(invalid_argument("'" + function + "' has no input '" + name + "'",
                             names.empty()
                                 ? "it has no inputs"
                                 : "its inputs are " + quoted_list(names) + and_nearest(name, names)));
  std::optional<std::set<std::string>> read;  // computed if an array is missing
  for (const auto& [name, type] : inputs) {
    const auto array = batch.find(name);
    if (array == batch.end()) {
      if (!read) read = program.read_inputs(function);
      if (read->contains(name))
        raise(invalid_argument("there is no array for '" + name + "', an input of '" + function + "'",
                               "give --input " + name + "=FILE.npy; its type is " + to_string(type)));
      continue;
    }
    const DType is = array->second.dtype();
    if (is == type.dtype) continue;
    if (is != DType::f32 || type.dtype != DType::bf16)
      raise(invalid_argument("the array for '" + name + "' has the element type " + name_of(is) +
                                 ", and the program reads " + name_of(type.dtype),
                             conversion_to(type.dtype)));
    array->second = rounded_to_bf16(array->second);
  }
}

void run(RunOptions o) {
  OutputFiles files;
  add_model(files, o.file);
  add_arrays(files, o.inputs, "--input");
  o.known.add_inputs(files);
  files.reads("--device-file", o.load.device_file);
  files.folder("--output-dir", o.output_directory);
  files.file("--json", o.json, true);
  files.file("--maps", o.maps, true);
  files.file("--trace", o.trace);
  Batch batch = arrays_of(o.inputs, "--input");
  const Runnable program = is_onnx(o.file) ? imported(o, batch) : saved(o);
  if (o.function.empty()) o.function = default_function(program.functions);
  fit_batch(program, o.function, batch);
  Outputs outputs;
  for (int64_t i = 0; i < o.repeat; ++i) {
    if (!o.trace.empty() && i + 1 == o.repeat) program.session->start_trace();
    outputs = program.run(o.function, batch);
  }
  // The names of the outputs are known now. If one of the files may not be written, none is.
  const auto file_of = [&](const std::string& output) {
    return o.output_directory + "/" + file_name_of(output) + ".npy";
  };
  if (!o.output_directory.empty())
    for (const auto& [name, value] : outputs) files.file("--output-dir", file_of(name));
  if (!o.trace.empty()) program.session->write_trace(o.trace);
  std::vector<std::vector<std::string>> rows = {{"output", "type", "first value"}};
  nlohmann::json list = nlohmann::json::object();
  for (const auto& [name, value] : outputs) {
    rows.push_back({name, to_string(value.type()), value.type().elements() ? scientific(value.at(0)) : "-"});
    list[name] = {{"type", to_string(value.type())}};
    if (value.type().elements() == 1) list[name]["value"] = value.at(0);
    if (o.output_directory.empty()) continue;
    check(write_npy(file_of(name),
                    value.dtype() == DType::bf16 ? check(converted_floats(value, DType::f32)) : value));
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  if (o.json != "-") write_text("-", table(rows));
  for (const auto& [name, value] : outputs)
    if (const std::string what = first_non_finite(value); !what.empty())
      std::fprintf(stderr, "note: the output '%s' has elements that are not finite; the first one is %s%s\n",
                   printable(name).c_str(), what.c_str(),
                   what.starts_with("nan") ? " (an index that is out of range gives nan)" : "");
  if (!o.json.empty())
    write_json(o.json,
               {{"function", o.function}, {"outputs", list}, {"peak_rss_mib", usage.ru_maxrss / 1024}});
  if (!o.maps.empty()) {  // the libraries that the process has loaded
    FILE* from = std::fopen("/proc/self/maps", "r");
    std::string text;
    char line[4096];
    while (from && std::fgets(line, sizeof line, from)) text += line;
    if (from) std::fclose(from);
    write_text(o.maps, text);
  }
}

void run_checked(const RunOptions& o, const CLI::App& command) {
  for (const char* option : {"--devices", "--strategy", "--batch", "--size", "--known", "--hard-links"})
    if (!is_onnx(o.file) && command.count(option) > 0)
      raise(invalid_argument(
          std::string(option) + " is for ONNX models",
          "a saved program has the devices, strategy, sizes and known elements for which it was compiled"));
  if (!is_onnx(o.file) && !o.trace.empty())
    raise(invalid_argument("--trace is for ONNX models",
                           "cutset run cannot record the times of a saved program"));
  run(o);
}

void add_options_of_onnx(CLI::App& command, RunOptions& o) {
  command.option_defaults()->group("ONNX models");
  command.add_option("--devices", o.compile.devices, "devices: cpu:0,opencl:0")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--strategy", o.compile.strategy, "the strategy, as for cutset compile")
      ->type_name("STRATEGY");
  command.add_option("--batch", o.batch, "samples; default: as many as the arrays have, or 1")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  o.sizes.add_to(command);
  o.known.add_to(command);
  command.add_option("--trace", o.trace, "times of the instructions in the last run, for ui.perfetto.dev")
      ->check(path_name());
}

}  // namespace

CLI::App* add_run(CLI::App& app) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "run a function of a saved program or of an ONNX model");
  command->add_option("file", o->file, "a saved program, made by cutset compile, or FILE.onnx")->required();
  command->add_option("--function", o->function, "the function; default: predict, or else evaluate");
  command->add_option("--input", o->inputs, "the array of an input")->type_name("NAME=FILE.npy")->take_all();
  command->add_option("--output-dir", o->output_directory, "folder for the outputs, each as NAME.npy")
      ->check(path_name());
  command->add_option("--repeat", o->repeat, "runs; the outputs of the last run are returned")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--threads", o->load.threads, "threads per CPU device")->check(CLI::Range(1, 1024));
  command
      ->add_option("--simulation-seed", o->load.simulation_seed,
                   "seed of the order in which sim devices run their queues")
      ->check(whole_number())
      ->capture_default_str();
  add_device_file(*command, o->load.device_file);
  command->add_option("--maps", o->maps, "the libraries that the process has loaded")->check(path_name());
  command->add_option("--json", o->json, kJsonHelp)->check(path_name());
  add_options_of_onnx(*command, *o);
  command->callback([o, command] { run_checked(*o, *command); });
  return command;
}

}  // namespace cutset::cli
