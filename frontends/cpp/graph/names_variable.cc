// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/names_variable.h"

#include <algorithm>
#include <vector>

namespace cutset {

bool names_variable(std::string_view pattern, std::string_view name) {
  // ends[i]: whether the pattern up to here can stand for the first i characters of `name`.
  std::vector<char> ends(name.size() + 1, 0);
  ends.front() = 1;
  for (const char c : pattern) {
    if (c == '*') {
      std::fill(std::ranges::find(ends, 1), ends.end(), 1);
      continue;
    }
    for (size_t i = name.size(); i > 0; --i) ends[i] = ends[i - 1] && name[i - 1] == c;
    ends.front() = 0;
  }
  for (size_t i = 0; i < name.size(); ++i)
    if (ends[i] && (name[i] == '.' || name[i] == '/')) return true;  // "/" begins the name of a state
  return ends.back() && !pattern.empty();
}

}  // namespace cutset
