// SPDX-License-Identifier: Apache-2.0
// Turns the options that a user writes (CompileOptions) into the configuration that the compiler reads
// (CompileConfig). Only this file parses the texts of options and describes devices.
#pragma once
#include <cutset/session.h>

#include "frontends/cpp/bridge/bridge.h"

namespace cutset {

// An option that is an integer and is copied unchanged. Each becomes a flag of the commands. A new one needs
// a member of CompileOptions, a member of CompileConfig, and a row in the table below.
struct NumberOption {
  const char* flag;                 // without the leading "--"
  int64_t CompileOptions::* given;  // the member that is read
  int64_t CompileConfig::* taken;   // the member that is set
  int64_t least, most;              // the range, with both ends
  const char* help;
};
inline constexpr NumberOption kNumberOptions[] = {
    {"bucket-bytes", &CompileOptions::bucket_bytes, &CompileConfig::bucket_bytes, 0, int64_t{1} << 40,
     "bytes of gradients that are summed at once; 0: one"},
    {"max-specialisations", &CompileOptions::max_specialisations, &CompileConfig::max_specialisations, 1,
     int64_t{1} << 20, "programs that a session keeps for other shapes"},
};

// Returns the configuration for a program that will run. Fails if an option is invalid, a device cannot be
// opened, or the strategy does not fit the devices.
Result<CompileConfig> configure(const CompileOptions& options);
// The same for a program that will be shown or saved, and not run. The backends of the devices must exist;
// the devices need not exist.
Result<CompileConfig> configure_described(const CompileOptions& options);
// Returns the configuration of one reference device, with which verification compares other programs.
Result<CompileConfig> configure_reference(DType dtype);
// Gives each note of a compilation to CompileOptions::on_note, or prints it.
void report_notes(const CompileOptions& options, const CompileResult& compiled);
// Changes `config` so that later compilations place every op and divide the batch as the compilation `first`
// did.
void follow(CompileConfig& config, const CompileResult& first);

}  // namespace cutset
