// SPDX-License-Identifier: Apache-2.0
#include <cutset/saved.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "ir/core/philox.h"

namespace cutset::cli {
namespace {

struct BenchmarkOptions {
  std::string file, function, json;
  int64_t runs = 100, warm_up = 10;
  LoadOptions load;
};

// Draws an input: floating-point elements from the normal distribution, and others from {0, 1}. 0 and 1 are
// valid classes of every model with at least two classes.
HostTensor draw(const TensorType& type, uint64_t seed) {
  HostTensor t(type);
  PhiloxSequence random(seed);
  const int64_t n = type.elements();
  for (int64_t i = 0; i < n; ++i)
    t.set(i, is_float(type.dtype) ? random.normal() : static_cast<double>(random.below(2)));
  return t;
}

double part(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void benchmark(BenchmarkOptions o) {
  using Clock = std::chrono::steady_clock;
  OutputFiles files;
  files.reads("the program", o.file);
  files.reads("--device-file", o.load.device_file);
  files.file("--json", o.json, true);
  const auto begin = Clock::now();
  SavedProgram program = load_program(o.file, o.load);
  const double load_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  print_warnings(program.warnings());
  if (o.function.empty()) {
    const auto names = program.functions();
    if (names.empty()) raise(invalid_data("the program has no function"));
    o.function = names.front();
  }
  Batch batch;
  uint64_t seed = 0;
  for (const SavedProgram::Input& input : program.inputs(o.function))
    batch.emplace(input.name, draw(input.type, seed++));
  std::vector<double> milliseconds;
  {
    Progress progress("running " + o.function, o.warm_up + o.runs);
    for (int64_t i = 0; i < o.warm_up + o.runs; ++i) {
      const auto start = Clock::now();
      program.run(o.function, batch);
      if (i >= o.warm_up)
        milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      progress.update(i + 1, "");
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::string devices;
  for (const std::string& d : program.devices()) devices += (devices.empty() ? "" : ",") + d;
  if (o.json != "-")
    write_text("-", table({{"function", "devices", "load s", "runs", "fastest ms", "10 %", "median", "90 %"},
                           {o.function, devices, fixed(load_seconds, 2), std::to_string(o.runs),
                            fixed(milliseconds.front(), 3), fixed(part(milliseconds, 0.1), 3),
                            fixed(part(milliseconds, 0.5), 3), fixed(part(milliseconds, 0.9), 3)}}));
  if (!o.json.empty())
    write_json(o.json, {{"function", o.function},
                        {"devices", program.devices()},
                        {"load_seconds", load_seconds},
                        {"runs", o.runs},
                        {"fastest_ms", milliseconds.front()},
                        {"p10_ms", part(milliseconds, 0.1)},
                        {"median_ms", part(milliseconds, 0.5)},
                        {"p90_ms", part(milliseconds, 0.9)},
                        {"log", program.log()}});
}

}  // namespace

CLI::App* add_benchmark(CLI::App& app) {
  auto o = std::make_shared<BenchmarkOptions>();
  CLI::App* command = app.add_subcommand("benchmark", "measure a function of a saved program");
  command->add_option("file", o->file, "a saved program, made by cutset compile")->required();
  command->add_option("--function", o->function, "the function; default: the first one");
  command->add_option("--runs", o->runs, "runs that are measured")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
      ->capture_default_str();
  command->add_option("--warm-up", o->warm_up, "runs before, which are not measured")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 30))
      ->capture_default_str();
  command->add_option("--threads", o->load.threads, "threads per CPU device")->check(CLI::Range(1, 1024));
  add_device_file(*command, o->load.device_file);
  command->add_option("--json", o->json, kJsonHelp)->check(path_name());
  command->callback([o] { benchmark(*o); });
  return command;
}

}  // namespace cutset::cli
