// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/live_ranges.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cutset {

LiveRanges::LiveRanges(const std::vector<PackedBuffer>& buffers, uint64_t alignment) {
  std::vector<int64_t> times;
  for (const PackedBuffer& b : buffers) {
    times.push_back(b.first);
    times.push_back(b.last + 1);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto section = [&](int64_t t) {
    return static_cast<int>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PackedBuffer& b = buffers[i];
    if (b.bytes == 0) continue;
    items.push_back({section(b.first), section(b.last + 1) - 1,
                     static_cast<int64_t>((b.bytes + alignment - 1) & ~(alignment - 1)), i});
    length.push_back(b.last - b.first + 1);
  }
  // A section is kept only if its set of live buffers is maximal. If no buffer ends in a section, the next
  // section contains its set. If no buffer has begun since the last kept section, the kept section contains
  // its set.
  std::vector<char> begins(times.size() + 1, 0), ends(times.size() + 1, 0);
  for (const Item& i : items) {
    begins[static_cast<size_t>(i.first)] = 1;
    ends[static_cast<size_t>(i.last)] = 1;
  }
  std::vector<int> renamed(times.size() + 1, 0);
  int count = 0;
  bool fresh = false;
  for (size_t s = 0; s < times.size(); ++s) {
    renamed[s] = count;
    fresh |= begins[s];
    if (ends[s] && fresh) {
      ++count;
      fresh = false;
    }
  }
  renamed[times.size()] = count;
  for (Item& i : items) {
    i.first = renamed[static_cast<size_t>(i.first)];
    i.last = renamed[static_cast<size_t>(i.last) + 1] - 1;
  }

  std::vector<int64_t> change(static_cast<size_t>(count) + 1, 0);
  for (const Item& i : items) {
    change[static_cast<size_t>(i.first)] += i.bytes;
    change[static_cast<size_t>(i.last) + 1] -= i.bytes;
  }
  change.pop_back();
  std::partial_sum(change.begin(), change.end(), std::back_inserter(total));
}

namespace {

// The maximum of a range of numbers, in O(log n).
class RangeMaximum {
 public:
  explicit RangeMaximum(const std::vector<int64_t>& numbers)
      : size_(numbers.size()), tree_(2 * numbers.size()) {
    std::copy(numbers.begin(), numbers.end(), tree_.begin() + static_cast<int64_t>(size_));
    for (size_t n = size_; n-- > 1;) tree_[n] = std::max(tree_[2 * n], tree_[2 * n + 1]);
  }
  int64_t of(size_t first, size_t last) const {
    int64_t most = std::numeric_limits<int64_t>::min();
    for (first += size_, last += size_ + 1; first < last; first /= 2, last /= 2) {
      if (first % 2) most = std::max(most, tree_[first++]);
      if (last % 2) most = std::max(most, tree_[--last]);
    }
    return most;
  }

 private:
  size_t size_;
  std::vector<int64_t> tree_;
};

}  // namespace

std::vector<int> LiveRanges::rank(const std::string& order) const {
  const RangeMaximum highest_total(total);
  std::vector<std::vector<double>> weights;  // weights[letter][item]
  for (char letter : order) {
    auto& w = weights.emplace_back();
    for (size_t n = 0; n < items.size(); ++n) {
      const Item& i = items[n];
      const auto life = static_cast<double>(length[n]), bytes = static_cast<double>(i.bytes);
      w.push_back(letter == 'W'   ? life
                  : letter == 'A' ? life * bytes
                  : letter == 'S' ? bytes
                                  : static_cast<double>(highest_total.of(static_cast<size_t>(i.first),
                                                                         static_cast<size_t>(i.last))));
    }
  }
  std::vector<int> sorted(items.size()), place(items.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) {
    for (const auto& w : weights)
      if (w[static_cast<size_t>(a)] != w[static_cast<size_t>(b)])
        return w[static_cast<size_t>(a)] > w[static_cast<size_t>(b)];
    return false;
  });
  for (size_t r = 0; r < sorted.size(); ++r) place[static_cast<size_t>(sorted[r])] = static_cast<int>(r);
  return place;
}

}  // namespace cutset
