// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/first_infinities.h"

#include "runtime/execute/finite.h"

namespace cutset {

void FirstInfinities::note(const Session& session) {
  for (const std::string& name : session.variables())
    if (HostTensor value = session.variable(name); !first_non_finite(value).empty())
      values_.emplace(name, std::move(value));
}

std::string FirstInfinities::first_new(const Session& session) const {
  for (const std::string& name : session.variables()) {
    const HostTensor value = session.variable(name);
    const auto before = values_.find(name);
    const std::string element =
        before == values_.end() ? first_non_finite(value) : first_non_finite(value, before->second);
    if (!element.empty()) return "'" + name + "' is " + element;
  }
  return "";
}

}  // namespace cutset
