// What CompileOptions mean to the compiler, and which of them have no meaning.
#include "frontends/cpp/compilation.h"

namespace cutset {

static Status between(const char* option, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid_argument(std::string("CompileOptions::") + option + " is " + std::to_string(value) +
                          ", which is not from " + std::to_string(least) + " to " + std::to_string(most));
}

Result<CompileRequest> request_of(const CompileOptions& options) {
  CUTSET_TRY(between("threads", options.threads, 0, 1024));
  CUTSET_TRY(between("bucket_bytes", options.bucket_bytes, 0, int64_t{1} << 40));
  CompileRequest r;
  if (options.plan) {
    CUTSET_ASSIGN(r.plan, parse_plan(*options.plan));
  }
  r.devices = {options.devices,     options.threads, options.simulation_seed,
               options.device_file, false,           options.deterministic};
  r.strategy = options.strategy, r.parts = options.deterministic ? kDeterministicParts : 0;
  r.bucket_bytes = options.bucket_bytes, r.f64 = options.f64, r.yield_gradients = options.gradients;
  r.dump_directory = options.dump_directory;
  return r;
}

}  // namespace cutset
