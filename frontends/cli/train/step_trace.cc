// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/step_trace.h"

namespace cutset::cli {

constexpr int64_t kTraceTo = 6;  // the last step that is traced

StepTrace::StepTrace(Session& session, std::string path, int64_t steps)
    : session_(session), path_(std::move(path)) {
  if (path_.empty() || steps != 1) return;
  session_.start_trace();
  records_ = true;
}

void StepTrace::after_step(bool last) {
  if (path_.empty()) return;
  ++made_;
  if (records_ && (made_ == kTraceTo || last)) {
    session_.write_trace(path_);
    records_ = false;
  } else if (made_ == 1 && !last) {  // the first step allocates memory, so it is not traced if there are more
    session_.start_trace();
    records_ = true;
  }
}

void StepTrace::end() {
  if (records_) session_.write_trace(path_);
  records_ = false;
}

}  // namespace cutset::cli
