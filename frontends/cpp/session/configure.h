// SPDX-License-Identifier: Apache-2.0
// Turns the options that a user writes (CompileOptions) into the configuration that the compiler reads
// (CompileConfig). Only this file parses the texts of options and describes devices.
#pragma once
#include <cutset/session.h>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset {

// An option that is copied unchanged: a record of passes/options.td.
struct NumberOption {
  const char* member;               // its name in both structs
  int64_t CompileOptions::* given;  // the member that is read
  int64_t CompileConfig::* taken;   // the member that is set
  int64_t least, most;              // the range, with both ends
  const char* help;
};
struct FlagOption {
  const char* member;
  bool CompileOptions::* given;
  bool CompileConfig::* taken;
  bool initial;      // the option of a command gives the opposite value
  bool in_commands;  // whether the commands of `cutset` have the option; `cutset-opt` has all
  const char* help;
};
inline constexpr NumberOption kNumberOptions[] = {
#define CUTSET_NUMBER(member, initial, least, most, help) \
  {#member, &CompileOptions::member, &CompileConfig::member, least, most, help},
#include "passes/copied_options.inc"
};
inline constexpr FlagOption kFlagOptions[] = {
#define CUTSET_FLAG(member, initial, in_commands, help) \
  {#member, &CompileOptions::member, &CompileConfig::member, initial, in_commands, help},
#include "passes/copied_options.inc"
};
// Returns the name of the option on a command line, without the leading "--": "bucket-bytes", "no-fuse".
std::string name_of(const NumberOption& option);
std::string name_of(const FlagOption& option);

// Returns the configuration for a program that will run. Fails if an option is invalid, a device cannot be
// opened, or the strategy does not fit the devices.
Result<CompileConfig> configure(const CompileOptions& options);
// Returns the configuration for a program that will be shown or saved, and not run. The backends of the
// devices must exist; the devices need not exist.
Result<CompileConfig> configure_described(const CompileOptions& options);
// Returns the configuration of one reference device, with which verification compares other programs.
Result<CompileConfig> configure_reference(DType dtype);
// Gives each note of a compilation to CompileOptions::on_note, or prints it.
void report_notes(const CompileOptions& options, const CompileResult& compiled);
// Changes `config` so that later compilations place every op and divide the batch as the compilation `first`
// did.
void follow(CompileConfig& config, const CompileResult& first);

}  // namespace cutset
