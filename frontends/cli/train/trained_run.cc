// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/trained_run.h"

#include <algorithm>
#include <new>

namespace cutset::cli {

std::string TrainedRun::failed() const {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
double TrainedRun::median_ms() const {
  const std::vector<double>& step_ms = result.step_ms;
  std::vector<double> t(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
  if (t.empty()) return 0;
  std::nth_element(t.begin(), t.begin() + static_cast<int64_t>(t.size() / 2), t.end());
  return t[t.size() / 2];
}
double TrainedRun::min_ms() const {
  const std::vector<double>& step_ms = result.step_ms;
  return step_ms.empty() ? 0 : *std::min_element(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
}

}  // namespace cutset::cli
