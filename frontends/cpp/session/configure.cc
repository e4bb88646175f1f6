// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/configure.h"

#include <algorithm>

namespace cutset {
namespace {

Status between(const std::string& option, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid_argument("CompileOptions::" + option + " is " + std::to_string(value) +
                          ", which is not from " + std::to_string(least) + " to " + std::to_string(most));
}

std::string with_hyphens(std::string member) {
  std::ranges::replace(member, '_', '-');
  return member;
}

Result<CompileConfig> configure_for(const CompileOptions& options, bool describe_only) {
  CompileConfig config;
  CUTSET_TRY(between("threads", options.threads, 0, 1024));
  for (const NumberOption& o : kNumberOptions) {
    CUTSET_TRY(between(o.member, options.*o.given, o.least, o.most));
    config.*o.taken = options.*o.given;
  }
  for (const FlagOption& o : kFlagOptions) config.*o.taken = options.*o.given;
  if (options.plan) {
    CUTSET_ASSIGN(config.plan, parse_plan(*options.plan));
  }
  CUTSET_ASSIGN(config.devices, describe_devices({.devices = options.devices,
                                                  .threads = options.threads,
                                                  .simulation_seed = options.simulation_seed,
                                                  .device_file = options.device_file,
                                                  .describe_only = describe_only,
                                                  .one_thread = options.deterministic}));
  CUTSET_ASSIGN(config.strategy, fit_strategy(options.strategy, config.devices.size()));
  config.shards = options.deterministic ? kDeterministicShards : 0;
  config.dtype = options.f64 ? DType::f64 : DType::f32;
  config.dump_directory = options.dump_directory;
  return config;
}

}  // namespace

std::string name_of(const NumberOption& option) { return with_hyphens(option.member); }
std::string name_of(const FlagOption& option) {
  return (option.initial ? "no-" : "") + with_hyphens(option.member);
}

Result<CompileConfig> configure(const CompileOptions& options) { return configure_for(options, false); }
Result<CompileConfig> configure_described(const CompileOptions& options) {
  return configure_for(options, true);
}

Result<CompileConfig> configure_reference(DType dtype) {
  CompileConfig config;
  CUTSET_ASSIGN(config.devices, describe_devices({.devices = "reference:0"}));
  config.dtype = dtype;
  config.fuse = false;  // every value of the graph is needed for comparisons
  return config;
}

void report_notes(const CompileOptions& options, const CompileResult& compiled) {
  for (const std::string& note : compiled.notes)
    if (options.on_note)
      options.on_note(note);
    else
      std::fprintf(stderr, "note: %s\n", note.c_str());
}

void follow(CompileConfig& config, const CompileResult& first) {
  config.plan = first.plan;
  config.plan->program.clear();  // the plan is known to belong to this program
  config.strategy = first.strategy;
  config.dump_directory.clear();
}

}  // namespace cutset
