// SPDX-License-Identifier: Apache-2.0
// The options that several commands share. A command has only the options that it uses. The parser refuses
// all others.
#pragma once
#include <cutset/cutset.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cli/options/loss_options.h"
#include "frontends/cli/options/model_sizes.h"
#include "frontends/cli/options/onnx_loss.h"
#include "frontends/cli/options/onnx_model.h"
#include "frontends/cli/options/optimizer_options.h"
#include "frontends/cli/options/validators.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/models/models.h"

namespace cutset::cli {

// Selects the shared options that only some commands have. A command that calls add_to has all other shared
// options.
struct Uses {
  bool several_devices = false;  // --devices may be repeated, with one run each
  bool log = false;              // --log
  bool picture = false;          // --dot and --dot-level
  bool json = false;             // --json
};

// The values of the shared options: the model, and the options of its compilation. Equal options give equal
// programs in all commands.
struct CommonOptions {
  std::string model;
  std::vector<std::string> devices = {"cpu:0"};
  // The members devices, plan and f64 are not used; CommonOptions has members for them.
  CompileOptions compile;
  std::string plan, dot, dot_level, json, dtype = "f32";
  uint64_t seed = 0;
  int64_t batch = 64;
  CLI::Option* batch_option = nullptr;  // tells whether the user gave --batch
  OptimizerOptions optimizer;
  std::vector<std::string> log;  // topics
  ModelSizes sizes;
  KnownInputs known;
  OnnxLoss onnx_loss;
  LossOptions loss;
  std::vector<std::string> freeze, freeze_except;
  std::optional<double> dropout;  // nothing: the default of the built-in model

  // Adds the options to a subcommand.
  void add_to(CLI::App& app, const Uses& uses);
  // Adds only the model, with its batch, its seed and its sizes.
  void add_model_options(CLI::App& app);

  // Returns the level of --dot-level, or nothing if the option is not given.
  std::optional<DotLevel> level_of_picture() const;

  // Adds the files that these options name to the inputs of a command.
  void add_inputs(OutputFiles& outputs) const;

  // Builds the built-in model, or reads the ONNX file and adds its loss, if there is one. The input "label"
  // of the loss has the type of the label of `training`, if there are samples. `training` also gives the
  // sizes that the file leaves open. Freezes the variables of --freeze or --freeze-except. Clips gradients
  // and keeps averages as `optimizer` says. `notes` gets onnx::Model::training_notes. Throws a cutset::Error
  // in these cases:
  // - There is no such model.
  // - The model does not have an option that was given.
  // - The model fixes its batch, and it is not `batch`.
  // - The samples have no label.
  // - A name of --freeze or --freeze-except fits no variable that would be trained.
  Graph graph(const data::Dataset* training = nullptr, std::vector<std::string>* notes = nullptr) const;
  // Returns the options of a compilation for these devices. Throws a cutset::Error if the plan cannot be
  // read.
  CompileOptions compile_options(const std::string& devices) const;
  // Throws a cutset::Error if a device of any run is missing or an option is invalid. It is called before any
  // run starts.
  void check_devices() const;

 private:
  void add_devices(CLI::App& app, bool several);
  void add_frozen(CLI::App& app);
  void add_reports(CLI::App& app, const Uses& uses);
  Graph graph_before_freezing(const data::Dataset* training, std::vector<std::string>* notes) const;
};

// Adds the folder of --dump-dir to the outputs of a command.
void add_dump_folder(OutputFiles& outputs, const std::string& folder);

// Adds the option --device-file.
void add_device_file(CLI::App& app, std::string& file);

// The help text of an option that commands add themselves.
inline constexpr char kJsonHelp[] = "the results as JSON; - is standard output";

}  // namespace cutset::cli
