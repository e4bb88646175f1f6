#include "frontends/cli/train/epoch_summary.h"

#include "frontends/cli/terminal.h"

namespace cutset::cli {

void EpochSummary::begin() { loss_ = 0, samples_ = steps_ = 0, start_ = end_ = Clock::now(); }

void EpochSummary::add(double loss, int64_t samples) {
  loss_ += loss * static_cast<double>(samples), samples_ += samples, ++steps_;
}

void EpochSummary::end() { end_ = Clock::now(); }

std::string EpochSummary::text() const {
  if (samples_ == 0) return "";
  const auto n = static_cast<double>(samples_);
  const double seconds = std::chrono::duration<double>(end_ - start_).count();
  return "loss " + fixed(loss_ / n, 4) + (seconds > 0 ? ", " + fixed(n / seconds, 0) + " samples/s" : "");
}

}  // namespace cutset::cli
