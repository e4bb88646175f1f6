// SPDX-License-Identifier: Apache-2.0
// The mean loss and the time of an epoch of training.
#pragma once
#include <cutset/trainer.h>

#include <cstdint>

#include "runtime/communicate/clock.h"

namespace cutset {

// Sums over the steps of one epoch that this run makes. A run that is resumed makes only the last steps of
// its first epoch.
class EpochSummary {
 public:
  explicit EpochSummary(const Clock& clock) : clock_(clock) {}
  // Begins an epoch, and its time.
  void begin();
  // Adds a step. `loss` is the mean of its samples.
  void add(double loss, int64_t samples);
  // Ends the time of the epoch, so that an evaluation is not measured.
  void end();
  // Sets the members of `epoch` that are sums over these steps.
  void fill(TrainingEpoch& epoch) const;

 private:
  const Clock& clock_;
  Clock::Time start_{0}, end_{0};
  double loss_ = 0;  // the sum over the samples
  int64_t samples_ = 0, steps_ = 0;
};

}  // namespace cutset
