// SPDX-License-Identifier: Apache-2.0
// The trace of the first steps of a training run.
#pragma once
#include <cutset/session.h>

#include <cstdint>
#include <string>

namespace cutset::cli {

// Records the steps 2 to 6 of a run, or the only step.
class StepTrace {
 public:
  // `steps` is the number of steps that the run makes. An empty path: nothing is recorded. `session` outlives
  // the object.
  StepTrace(Session& session, std::string path, int64_t steps);
  // Begins or ends the recording. Must be called after each step. `last` says whether the step is the last
  // one.
  void after_step(bool last);
  // Ends the trace after the run. If the run ended early, writes what was recorded.
  void end();

 private:
  Session& session_;
  std::string path_;
  int64_t made_ = 0;
  bool records_ = false;
};

}  // namespace cutset::cli
