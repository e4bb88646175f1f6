// The options that subcommands share. A command takes those that it uses; others are errors of the parser.
#pragma once
#include <cutset/cutset.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "frontends/models/models.h"

namespace cutset::cli {

// Which of the shared options a command has, beside those of the program itself.
struct Uses {
  bool several_devices = false;  // --devices again and again, one run each
  bool log = false;              // --log
  bool picture = false;          // --dot and --dot-level
  bool json = false;             // --json
};

// What is compiled, and how. All commands build the same program from the same options.
struct CommonOptions {
  std::string model;
  std::vector<std::string> devices = {"cpu:0"};
  std::string strategy, plan, device_file, dump_directory, dot, dot_level = "op", json, dtype = "f32";
  int threads = 0;
  bool deterministic = false;
  uint64_t seed = 0, simulation_seed = 0;
  int64_t batch = 64, bucket_bytes = 1 << 20;
  double learning_rate = models::Settings{}.optimizer.learning_rate, momentum = models::Settings{}.optimizer.momentum;
  std::vector<std::string> log;  // topics

  void add_to(CLI::App& app, const Uses& uses);

  Graph graph() const;
  CompileOptions compile_options(const std::string& devices) const;
  // Fails where a device of any run is not here, before the first run.
  void check_devices() const;
};

// Validators: a name that is not empty; a whole number without a sign; a finite number.
CLI::Validator path_name();
CLI::Validator whole_number();
CLI::Validator number_between(double least, double most);

// One subcommand a file. Each adds itself; its callback does the work and throws cutset::Error.
void add_train(CLI::App& app);
void add_verify(CLI::App& app);
void add_solve(CLI::App& app);
void add_compile(CLI::App& app);
void add_run(CLI::App& app);
void add_explain(CLI::App& app);
void add_dump(CLI::App& app);
void add_plan(CLI::App& app);
void add_devices(CLI::App& app);
void add_ops(CLI::App& app);

// Says on standard error which variables a file of weights does not name.
void note_missing(const std::string& path, const std::vector<std::string>& names);

}  // namespace cutset::cli
