// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/chain_partition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>

namespace cutset {
namespace {

// Prefix sums from which the load of any run of layers is computed. If device d runs the layers [from, to),
// its load is ends[d][to] - begins[d][from], transfers included. The device can run them only if `from` is at
// least earliest[d][to].
struct Loads {
  std::vector<std::vector<double>> begins, ends;
  std::vector<std::vector<size_t>> earliest;

  explicit Loads(const ChainProblem& p) {
    const size_t layers = p.seconds.size(), devices = p.seconds[0].size();
    for (size_t d = 0; d < devices; ++d) {
      auto &begin = begins.emplace_back(layers + 1), &end = ends.emplace_back(layers + 1);
      earliest.push_back(earliest_begins(p.seconds, p.memory, d));
      double before = 0;  // seconds of the layers before this one that the device can run
      for (size_t i = 0; i <= layers; ++i) {
        begin[i] = before - (i > 0 && i < layers && d > 0 ? p.transfer[i - 1][d - 1] : 0);
        end[i] = before + (i > 0 && i < layers && d + 1 < devices ? p.transfer[i - 1][d] : 0);
        if (i == layers) break;
        before += std::isinf(p.seconds[i][d]) ? 0 : p.seconds[i][d];
      }
    }
  }
  double of(size_t device, size_t from, size_t to) const { return ends[device][to] - begins[device][from]; }
};

// Returns, for each n up to `layers`, whether the first n layers can be split over the first `used` devices
// so that each device has at least one layer and no load exceeds `limit`. A run that ends at n has the
// smallest load if it begins at the layer with the largest `begins`. The layers at which it may begin form a
// window that only moves forward, so the maximum over the window takes amortised O(1).
std::vector<char> fits(const Loads& loads, size_t layers, size_t used, double limit) {
  std::vector<char> before(layers + 1, 0), now(layers + 1, 0);
  std::vector<size_t> window(layers +
                             1);  // candidate first layers in increasing order, with decreasing `begins`
  before[0] = 1;
  for (size_t d = 0; d < used; ++d) {
    const auto &begins = loads.begins[d], &ends = loads.ends[d];
    size_t head = 0, tail = 0;
    now[0] = 0;
    for (size_t n = 1; n <= layers; ++n) {
      if (before[n - 1]) {
        while (tail > head && begins[window[tail - 1]] <= begins[n - 1]) --tail;
        window[tail++] = n - 1;
      }
      while (head < tail && window[head] < loads.earliest[d][n]) ++head;
      now[n] = head < tail && ends[n] - begins[window[head]] <= limit;
    }
    before.swap(now);
  }
  return before;
}

// Returns the smallest limit under which the first `layers` layers fit on the first `used` devices, or
// infinity if there is none. The bisection runs over the bits of doubles, because non-negative doubles have
// the order of their bits.
double smallest_limit(const Loads& loads, size_t layers, size_t used) {
  constexpr double kMost = std::numeric_limits<double>::max();
  if (!fits(loads, layers, used, kMost)[layers]) return std::numeric_limits<double>::infinity();
  auto low = std::bit_cast<uint64_t>(0.0), high = std::bit_cast<uint64_t>(kMost);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (fits(loads, layers, used, std::bit_cast<double>(middle))[layers])
      high = middle;
    else
      low = middle + 1;
  }
  return std::bit_cast<double>(high);
}

}  // namespace

std::vector<size_t> earliest_begins(const std::vector<std::vector<double>>& seconds,
                                    const ChainMemory& memory, size_t device) {
  const size_t layers = seconds.size();
  std::vector<size_t> first(layers + 1, 0);
  double bytes = 0;
  std::deque<size_t> largest;  // layers of the run in ascending order, with descending `working`
  for (size_t i = 0, begin = 0; i < layers; ++i) {
    if (std::isinf(seconds[i][device])) {
      begin = i + 1;
      bytes = 0;
      largest.clear();
    } else if (!memory.bytes.empty()) {
      bytes += memory.bytes[i];
      while (!largest.empty() && memory.working_bytes[largest.back()] <= memory.working_bytes[i])
        largest.pop_back();
      largest.push_back(i);
      while (begin <= i && bytes + memory.working_bytes[largest.front()] > memory.capacity[device]) {
        bytes -= memory.bytes[begin];
        if (largest.front() == begin) largest.pop_front();
        ++begin;
        if (largest.empty()) bytes = 0;
      }
    }
    first[i + 1] = begin;
  }
  return first;
}

Result<ChainSplit> split_chain(const ChainProblem& p) {
  const size_t layers = p.seconds.size(), devices = layers ? p.seconds[0].size() : 0;
  if (!layers) return ChainSplit{};
  for (size_t i = 0; i < layers; ++i)
    if (std::all_of(p.seconds[i].begin(), p.seconds[i].end(), [](double s) { return std::isinf(s); }))
      return unsupported("no device can run layer " + std::to_string(i));
  const Loads loads(p);
  const size_t used = std::min(layers, devices);
  ChainSplit split;
  split.bottleneck = smallest_limit(loads, layers, used);
  if (std::isinf(split.bottleneck))
    return unsupported("no contiguous split gives every device layers that it can run");
  split.device.resize(layers);
  split.load.assign(devices, 0);
  // The run of each device is chosen from the last device to the first. Each run begins as early as the limit
  // allows.
  double limit = split.bottleneck;
  for (size_t d = used, n = layers; d > 0; --d) {
    const std::vector<char> before = fits(loads, n - 1, d - 1, limit);
    size_t from = std::max(d - 1, loads.earliest[d - 1][n]);
    while (!before[from] || loads.of(d - 1, from, n) > limit) ++from;
    for (size_t i = from; i < n; ++i) split.device[i] = static_cast<int>(d - 1);
    split.load[d - 1] = loads.of(d - 1, from, n);
    n = from;
    if (d > 2) limit = smallest_limit(loads, n, d - 1);
  }
  return split;
}

}  // namespace cutset
