// SPDX-License-Identifier: Apache-2.0
#include <cutset/label_ranges.h>
#include <cutset/random_batch.h>
#include <cutset/verify.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/options/samples.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/function_inputs.h"
#include "runtime/verify/mutate.h"

namespace cutset::cli {
namespace {

struct VerifyCommand {
  CommonOptions common;
  int64_t steps = 3;
  SampleOptions samples;
  VerifyOptions verify;
};

// Returns the first batches of the samples. The batches are random if the options name no samples and the
// model is not a built-in model that reads the images of Fashion-MNIST. `files` are the samples if they were
// read before.
std::vector<Batch> batches_for(const Graph& graph, const VerifyCommand& o,
                               const std::optional<data::Dataset>& files) {
  std::vector<Batch> batches;
  const bool has_samples =
      is_onnx(o.common.model) ? o.samples.has_samples() : o.samples.has_samples_for(graph);
  if (!has_samples) {
    for (int64_t i = 0; i < o.steps; ++i)
      batches.push_back(random_batch(graph, o.common.seed + static_cast<uint64_t>(i)));
    return batches;
  }
  data::Dataset samples = files ? *files : o.samples.training(graph, o.common.seed);
  samples = with_types_of(graph, samples);
  check_samples(graph, [&] { return inputs_of_functions(graph); }, samples);  // each batch runs all functions
  if (is_onnx(o.common.model)) samples = without_remainder(samples, o.common.batch, "samples");
  const data::Dataset epochs =
      samples.shuffle(o.common.seed).map(data::check_label_ranges(graph)).batch(o.common.batch);
  while (static_cast<int64_t>(batches.size()) < o.steps)
    for (Batch& batch : epochs) {
      batches.push_back(batch);
      if (static_cast<int64_t>(batches.size()) == o.steps) break;
    }
  return batches;
}

void run(const VerifyCommand& o) {
  const CommonOptions& c = o.common;
  if (o.verify.mutation == "help") {
    std::string names;
    for (Mutation m : all_mutations()) names += name_of(m) + std::string("\n");
    return write_text("-", names);
  }
  o.samples.check_use();
  // The samples of an ONNX model decide the type of its label. Arrays also decide the sizes that the model
  // leaves open. The batch of the model must be --batch.
  std::optional<data::Dataset> files;
  if (is_onnx(c.model) && o.samples.has_samples())
    files = o.samples.training(o.samples.samples.empty() ? c.graph() : Graph(), c.seed);
  const Graph graph = c.graph(files ? &*files : nullptr);
  OutputFiles outputs;
  c.add_inputs(outputs);
  o.samples.add_inputs(outputs);
  outputs.file("--json", c.json, true);
  for (size_t run = 0; run < c.devices.size(); ++run)
    add_dump_folder(outputs, of_run(c.compile.dump_directory, run, c.devices.size()));
  c.check_devices();
  const std::vector<Batch> batches = batches_for(graph, o, files);
  std::vector<std::vector<std::string>> rows = {
      {"devices", "strategy", "ops", "edges", "difference / bound", "at", "verdict"}};
  nlohmann::json list = nlohmann::json::array();
  std::string failures;
  for (size_t run = 0; run < c.devices.size(); ++run) {
    const std::string& devices = c.devices[run];
    CompileOptions options = c.compile_options(devices);
    options.dump_directory = of_run(c.compile.dump_directory, run, c.devices.size());
    const VerifyResult r = verify(graph, options, batches, o.verify);
    rows.push_back({devices, r.strategy, std::to_string(r.ops), std::to_string(r.edges), fixed(r.worst, 3),
                    r.worst_at, r.same ? "same" : "DIFFERS"});
    list.push_back({{"model", c.model},
                    {"devices", devices},
                    {"strategy", r.strategy},
                    {"same", r.same},
                    {"ops", r.ops},
                    {"edges", r.edges},
                    {"worst", r.worst},
                    {"worst_at", r.worst_at},
                    {"first", r.first},
                    {"not_finite", r.not_finite},
                    {"differences", r.differences},
                    {"mutation", r.mutation}});
    if (!r.mutation.empty()) std::fprintf(stderr, "mutated: %s\n", printable(r.mutation).c_str());
    if (!r.not_finite.empty())
      std::fprintf(stderr, "note: %s in the program of one device, too, so the verdict on %s shows little\n",
                   printable(r.not_finite).c_str(), devices.c_str());
    if (!r.same) failures += (failures.empty() ? "" : "\n") + r.first;
  }
  if (c.json != "-") write_text("-", table(rows));
  if (!c.json.empty()) write_json(c.json, list);
  if (!failures.empty()) raise(execution_failed(failures, "cutset dump --to lower shows the program"));
}

}  // namespace

CLI::App* add_verify(CLI::App& app) {
  auto o = std::make_shared<VerifyCommand>();
  o->common.batch = 16;
  CLI::App* command = app.add_subcommand("verify", "compare a partitioned program with one device, op by op");
  o->common.add_to(*command, {.several_devices = true, .json = true});
  o->samples.add_to(*command);
  command->option_defaults()->group("Comparison");
  command->add_option("--steps", o->steps, "batches that are compared")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str();
  command
      ->add_option("--mutate", o->verify.mutation, "make an error of this kind first; help lists the kinds")
      ->type_name("KIND");
  command->add_option("--mutate-seed", o->verify.mutation_seed, "seed that selects the place of the error")
      ->check(whole_number())
      ->capture_default_str();
  command->callback([o] { run(*o); });
  return command;
}

}  // namespace cutset::cli
