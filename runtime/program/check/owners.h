// SPDX-License-Identifier: Apache-2.0
// Keeps for every byte of an arena who wrote it last.
#pragma once
#include <cstdint>
#include <iterator>
#include <map>

namespace cutset::checks {

// Disjoint stretches of bytes, each with an owner. A sequence of n calls of give() takes O(n log n) time,
// because a call adds at most three stretches, and each stretch is removed once.
class Owners {
 public:
  struct Stretch {
    uint64_t begin, end;
    int32_t owner;
  };

  // Makes `owner` the owner of the bytes [begin, end). Before, calls lost(stretch) for each stretch of them
  // that has an owner. Returns the first failure of `lost`, with which the owners stay as they are.
  template <class Lost>
  auto give(uint64_t begin, uint64_t end, int32_t owner, Lost&& lost) -> decltype(lost(Stretch())) {
    if (begin >= end) return {};
    const auto first = first_behind(begin);
    auto last = first;
    for (; last != stretches_.end() && last->first < end; ++last)
      if (auto status = lost(common(*last, begin, end)); !status.ok()) return status;
    if (first != last && std::next(first) == last && first->first == begin && first->second.end == end) {
      first->second.owner = owner;  // the frequent case that the same bytes are written again
      return {};
    }
    if (first != last) {
      const Stretch front{first->first, begin, first->second.owner};
      const auto& [start, back] = *std::prev(last);
      const Stretch rest{end, back.end, back.owner};
      stretches_.erase(first, last);
      for (const Stretch& s : {front, rest})
        if (s.begin < s.end) stretches_.emplace(s.begin, Tail{s.end, s.owner});
    }
    stretches_.emplace(begin, Tail{end, owner});
    return {};
  }

  // Returns the owner if exactly the bytes [begin, end) are one stretch, and otherwise null. The pointer is
  // valid until the owners change.
  const int32_t* owner_of(uint64_t begin, uint64_t end) const {
    const auto it = stretches_.find(begin);
    return it != stretches_.end() && it->second.end == end ? &it->second.owner : nullptr;
  }

  // Calls visit(stretch) for each stretch of the bytes [begin, end) that has an owner.
  template <class Visit>
  void visit(uint64_t begin, uint64_t end, Visit&& visit) {
    for (auto it = first_behind(begin); it != stretches_.end() && it->first < end; ++it)
      visit(common(*it, begin, end));
  }

 private:
  struct Tail {
    uint64_t end;
    int32_t owner;
  };
  using Stretches = std::map<uint64_t, Tail>;  // by the first byte

  static Stretch common(const Stretches::value_type& s, uint64_t begin, uint64_t end) {
    return {s.first > begin ? s.first : begin, s.second.end < end ? s.second.end : end, s.second.owner};
  }
  // Returns the first stretch that ends after `begin`.
  Stretches::iterator first_behind(uint64_t begin) {
    auto it = stretches_.upper_bound(begin);
    if (it != stretches_.begin() && std::prev(it)->second.end > begin) --it;
    return it;
  }

  Stretches stretches_;
};

}  // namespace cutset::checks
