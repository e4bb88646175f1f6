// SIGINT and SIGTERM as a wish to stop, for work that has something to save.
#pragma once

namespace cutset::cli {

// While it lives, the first of the signals is remembered, and a second one ends the process at once. A signal that was
// ignored before (as nohup and shells in the background do) stays ignored. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;

  int received() const;  // its number, or 0
};

// Thrown when all that was done has been saved and printed: the exit code is 128 + `signal`.
struct Stopped {
  int signal;
};

}  // namespace cutset::cli
