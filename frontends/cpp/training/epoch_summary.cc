// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/epoch_summary.h"

#include <limits>

namespace cutset {

void EpochSummary::begin() {
  loss_ = 0;
  samples_ = steps_ = 0;
  start_ = end_ = clock_.now();
}

void EpochSummary::add(double loss, int64_t samples) {
  loss_ += loss * static_cast<double>(samples);
  samples_ += samples;
  ++steps_;
}

void EpochSummary::end() { end_ = clock_.now(); }

void EpochSummary::fill(TrainingEpoch& epoch) const {
  epoch.made = steps_;
  epoch.samples = samples_;
  epoch.loss = samples_ ? loss_ / static_cast<double>(samples_) : std::numeric_limits<double>::quiet_NaN();
  epoch.seconds = std::chrono::duration<double>(end_ - start_).count();
}

}  // namespace cutset
