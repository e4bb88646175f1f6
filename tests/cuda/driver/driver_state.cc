// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/driver/driver_state.h"

#include <cstdio>

#include "tests/cuda/environment.h"

namespace cutset::cuda::doubles {

DriverState& state() {
  static DriverState* const driver = [] {
    const Hidden hidden;
    auto* s = new DriverState;
    s->contexts.resize(environment_number("CUTSET_CUDA_DOUBLE_DEVICES", 2));
    for (size_t i = 0; i < s->contexts.size(); ++i) {
      Context_t& context = s->contexts[i];
      context.device = static_cast<DeviceId>(i);
      context.null_stream = new Stream_t{&context, true, new Lane};
    }
    s->commands.set_seed(environment_number("CUTSET_CUDA_DOUBLE_SEED", 1));
    return s;
  }();
  return *driver;
}

void break_context(Context_t& context, const std::string& error) {
  if (context.fault != kSuccess) return;
  context.fault = kLaunchFailed;
  state().messages.push_back("unspecified launch failure: " + error);
  std::fprintf(stderr, "cutset driver double: %s\n", error.c_str());
}

namespace {

// Runs when the process ends.
__attribute__((destructor)) void report() {
  if (environment("CUTSET_CUDA_DOUBLE_REPORT") != "1") return;
  const DriverState& s = state();
  int contexts = 0;
  for (const Context_t& c : s.contexts) contexts += c.retained;
  std::fprintf(stderr,
               "cutset driver double: not released: %zu allocations (%zu bytes), %zu streams, %zu events, "
               "%zu modules, %d contexts, %zu graphs\n",
               s.memory.count(), s.memory.bytes(), s.streams.size(), s.events.size(), s.modules.size(),
               contexts, s.graphs.size() + s.graph_runs.size());
}

}  // namespace
}  // namespace cutset::cuda::doubles
