// SPDX-License-Identifier: Apache-2.0
// Lists whose entries register themselves before main() begins, such as the built-in models.
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace cutset {

// The list of all T, which have a member `name`. All entries of a T must be in one library, because each
// library would have its own list.
template <class T>
struct Registry {
  // Returns the list, sorted by name. It is complete when main() begins. A function-local object exists
  // before the first entry registers itself, in any order of the files.
  static std::vector<T>& all() {
    static std::vector<T> entries;
    return entries;
  }
  static void add(T entry) {
    const auto by_name = [](const T& a, const T& b) { return std::string_view(a.name) < b.name; };
    const auto place = std::ranges::upper_bound(all(), entry, by_name);
    all().insert(place, std::move(entry));
  }
};

}  // namespace cutset
