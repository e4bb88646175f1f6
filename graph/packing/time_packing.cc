// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/time_packing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace cutset {
namespace {

// The free ranges of bytes below the end of the highest buffer in use. No two holes are adjacent.
class Holes {
 public:
  // Allocates `bytes` bytes in the smallest hole that holds them, or else at the top, and returns their
  // offset.
  int64_t take(int64_t bytes) {
    auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) {
      const int64_t at = top_;
      top_ += bytes;
      return at;
    }
    const auto [size, at] = *fit;
    remove(at, size);
    if (size > bytes) insert(at + bytes, size - bytes);
    return at;
  }
  void give_back(int64_t at, int64_t bytes) {
    auto next = by_start_.lower_bound(at);
    if (next != by_start_.end() && next->first == at + bytes) {
      const int64_t size = next->second;
      remove(at + bytes, size);
      bytes += size;
    }
    auto before = by_start_.lower_bound(at);
    if (before != by_start_.begin() && (--before)->first + before->second == at) {
      const auto [start, size] = *before;
      remove(start, size);
      at = start;
      bytes += size;
    }
    if (at + bytes == top_)
      top_ = at;
    else
      insert(at, bytes);
  }

 private:
  void insert(int64_t at, int64_t bytes) {
    by_start_[at] = bytes;
    by_size_.insert({bytes, at});
  }
  void remove(int64_t at, int64_t bytes) {
    by_start_.erase(at);
    by_size_.erase({bytes, at});
  }

  std::map<int64_t, int64_t> by_start_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t top_ = 0;
};

}  // namespace

std::vector<int64_t> place_in_order_of_time(const LiveRanges& ranges, Direction direction) {
  const bool forward = direction == Direction::kForward;
  const int final = static_cast<int>(ranges.total.size()) - 1;
  const auto begin = [&](size_t n) { return forward ? ranges.items[n].first : final - ranges.items[n].last; };
  const auto end = [&](size_t n) { return forward ? ranges.items[n].last : final - ranges.items[n].first; };
  std::vector<size_t> by_begin(ranges.items.size());
  std::iota(by_begin.begin(), by_begin.end(), size_t{0});
  std::vector<size_t> by_end = by_begin;
  // Of buffers that begin at the same time, the buffer that lives longest gets the lowest offset, so that
  // holes open at the top.
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) {
    return begin(a) != begin(b) ? begin(a) < begin(b) : ranges.length[a] > ranges.length[b];
  });
  std::stable_sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) { return end(a) < end(b); });
  Holes holes;
  std::vector<int64_t> offset(ranges.items.size(), 0);
  auto ended = by_end.begin();
  for (size_t n : by_begin) {
    for (; end(*ended) < begin(n); ++ended) holes.give_back(offset[*ended], ranges.items[*ended].bytes);
    offset[n] = holes.take(ranges.items[n].bytes);
  }
  return offset;
}

}  // namespace cutset
