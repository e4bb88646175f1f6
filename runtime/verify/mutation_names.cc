// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/mutation_names.h"

#include "ir/core/names.h"

namespace cutset {

const std::vector<Mutation>& all_mutations() {
  static const std::vector<Mutation> list = [] {
    std::vector<Mutation> all;
    for (int m = 0; m <= static_cast<int>(Mutation::kReorderedActions); ++m)
      all.push_back(static_cast<Mutation>(m));
    return all;
  }();
  return list;
}

const char* name_of(Mutation m) {
  constexpr const char* names[] = {
      "dropped-count",  "missing-all-reduce", "swapped-recv",        "stale-read",  "wrong-share",
      "lost-division",  "wrong-kernel",       "exchanged-variables", "wrong-axis",  "update-twice",
      "dropped-update", "local-count",        "wrong-first-element", "wrong-slice", "lost-term",
      "doubled-term",   "missing-vote",       "wrong-micro-batch",   "wrong-slot",  "partial-for-whole",
      "early-update",   "stale-shared-value", "reordered-actions"};
  return names[static_cast<int>(m)];
}

Result<Mutation> parse_mutation(const std::string& name) {
  std::vector<std::string> known;
  for (Mutation m : all_mutations()) {
    if (name == name_of(m)) return m;
    known.emplace_back(name_of(m));
  }
  return invalid_argument("there is no mutation '" + name + "'",
                          "the mutations are: " + list_and_nearest(name, known));
}

}  // namespace cutset
