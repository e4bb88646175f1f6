#include "frontends/cli/train/training_result.h"

#include <algorithm>
#include <new>

namespace cutset::cli {

std::string TrainingResult::failed() const {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
double TrainingResult::median_ms() const {
  std::vector<double> t(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
  if (t.empty()) return 0;
  std::nth_element(t.begin(), t.begin() + static_cast<int64_t>(t.size() / 2), t.end());
  return t[t.size() / 2];
}
double TrainingResult::min_ms() const {
  return step_ms.empty() ? 0 : *std::min_element(step_ms.begin() + (step_ms.size() > 1), step_ms.end());
}

}  // namespace cutset::cli
