// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/call_forms.h"

#include <algorithm>

namespace cutset::checks {

bool CallForms::is_new(const CallRole& call) {
  ++call_;
  form_.clear();
  const auto add_argument = [&](Seen& seen) {
    if (seen.call != call_) seen = {call_, static_cast<int32_t>(form_.size())};
    form_.push_back(seen.argument);
  };
  for (FrameId a : call.arguments) {
    if (units_.is_simple[a.index()]) {
      form_.push_back(kFrame);
      add_argument(of_frame_[a.index()]);
      continue;
    }
    for (BufferId b : f_.frames[a].buffers)
      if (const int32_t unit = units_.of[b.index()]; unit != kNone)
        add_argument(of_unit_[static_cast<size_t>(unit)]);
      else
        form_.push_back(kNone);
  }
  const std::vector<Form>& forms = forms_[call.role.index()];
  return std::ranges::find(forms, form_) == forms.end();
}

}  // namespace cutset::checks
