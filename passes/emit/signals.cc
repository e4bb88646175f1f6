#include "passes/emit/signals.h"

#include <algorithm>

namespace cutset::passes {

void Signals::insert_into(std::vector<Instruction>& list) && {
  std::reverse(all_.begin(), all_.end());
  std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Instruction> with;
  with.reserve(list.size() + all_.size());
  auto next = all_.begin();
  for (int64_t at = -1; at < static_cast<int64_t>(list.size()); ++at) {
    if (at >= 0) with.push_back(std::move(list[static_cast<size_t>(at)]));
    for (; next != all_.end() && next->first == at; ++next) with.push_back({.command = SignalEvent{next->second}});
  }
  list = std::move(with);
}

}  // namespace cutset::passes
