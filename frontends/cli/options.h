// The options that subcommands share.
#pragma once
#include <cutset/cutset.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "frontends/models/models.h"

namespace cutset::cli {

struct CommonOptions {
  std::string model;
  std::vector<std::string> devices = {"cpu:0"};
  std::string strategy, plan, device_file, dump_directory, dot, dot_level = "op", json, dtype = "f32";
  int threads = 0;
  bool deterministic = false;
  uint64_t seed = 0, simulation_seed = 0;
  int64_t batch = 64, bucket_bytes = 1 << 20;

  void add_to(CLI::App& app);
  std::vector<std::string> log;  // topics

  CompileOptions compile_options(const std::string& devices) const;
};

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

// Writes `text` to a file, or to standard output for "-".
void write_text(const std::string& path, const std::string& text);
// FILE.dot, and FILE.svg beside it where Graphviz is installed.
void write_picture(const std::string& path, const std::string& dot);

}  // namespace cutset::cli
