// The mean loss and the speed of an epoch of training, for the line that is printed when it ends.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace cutset::cli {

// Sums over the steps of one epoch that this run makes. A run that is resumed makes only the last steps of its first epoch.
class EpochSummary {
 public:
  // Begins an epoch, and its time.
  void begin();
  // The number of steps that were added.
  int64_t steps() const { return steps_; }
  // Adds a step. `loss` is the mean of its samples.
  void add(double loss, int64_t samples);
  // Ends the time of the epoch, so that an evaluation is not measured.
  void end();
  // "loss 0.4321, 1234 samples/s": the mean loss of the samples, and the samples per second with the time to read them. Empty if there was
  // no step.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, end_;
  double loss_ = 0;  // the sum over the samples
  int64_t samples_ = 0, steps_ = 0;
};

}  // namespace cutset::cli
