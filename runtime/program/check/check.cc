// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/check.h"

#include "ir/core/names.h"
#include "ir/core/number_text.h"

namespace cutset::checks {

Failure wrong(const Function& f, const std::string& what) {
  return invalid_data("'" + f.name + "': " + what);
}

std::string shown(const std::string& text) { return is_printable(text) ? text : "?"; }

Status printable(const std::string& text) {
  return is_printable(text) ? Status() : invalid_data("a text has control characters");
}

std::string out_of_range(const std::string& thing, int64_t index, size_t size, const std::string& owner) {
  return thing + " index " + std::to_string(index) + " is out of range; " + owner + " has " +
         counted(size, thing);
}

std::string place(const Function& f, size_t device, int queue, bool apply, size_t index) {
  static constexpr const char* kNames[kQueues] = {"in", "compute", "out"};
  const DevicePlan& d = f.devices[device];
  const Instruction& i = (apply ? d.queues[queue].apply : d.queues[queue].compute)[index];
  std::string s = "instruction " + std::to_string(index) + " of the " + kNames[queue] + " queue of " +
                  d.device + (apply ? ", after the commit" : "");
  if (const auto* call = i.as<CallRole>(); call && call->role.index() < f.roles.size())
    return s + " (role '" + shown(f.roles[call->role].name) + "')";
  if (!i.op().empty())
    s += " ('" + shown(i.op()) + "'" + (i.layer().empty() ? "" : " of " + shown(i.layer())) + ")";
  return s;
}

}  // namespace cutset::checks
