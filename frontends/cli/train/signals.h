// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP as requests to stop, for commands that save their results first.
#pragma once

namespace cutset::cli {

// While an object of this class lives, it records the first signal, and a second signal ends the process at
// once. A signal that the process already ignores stays ignored; nohup and the background jobs of shells make
// processes ignore such signals. Only one object may live at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;

  // Returns the number of the signal that was received, or 0.
  int received() const;
};

// Thrown after a signal, when all results have been saved and printed. The exit code is then 128 + `signal`.
struct Stopped {
  int signal;
};

}  // namespace cutset::cli
