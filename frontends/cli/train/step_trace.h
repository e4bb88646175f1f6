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
  // Is called after each step. `last` says whether it is the last step.
  void after_step(bool last);
  // Is called when the run has ended. Writes what was recorded, if the run ended early.
  void end();

 private:
  Session& session_;
  std::string path_;
  int64_t made_ = 0;
  bool records_ = false;
};

}  // namespace cutset::cli
