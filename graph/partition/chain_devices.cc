// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/chain_devices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>

namespace cutset {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Which devices may have layers, in ascending order, and the one that must have some.
struct Allowed {
  std::vector<size_t> devices;
  size_t required = SIZE_MAX;  // SIZE_MAX: none

  // Whether a run of layers on `to` may follow one on `from`, or begin the chain if there is no `from`.
  bool follows(size_t from, size_t to) const {
    return required == SIZE_MAX || to <= required || (from != SIZE_MAX && from >= required);
  }
};

class Passes {
 public:
  explicit Passes(const ChainDevices& p) : p_(p), layers_(p.seconds.size()) {
    for (size_t d = 0; d < p.seconds[0].size(); ++d) {
      earliest_.push_back(earliest_begins(p.seconds, p.memory, d));
      auto& sums = sums_.emplace_back(layers_ + 1, 0);
      for (size_t i = 0; i < layers_; ++i)
        sums[i + 1] = sums[i] + (std::isinf(p.seconds[i][d]) ? 0 : p.seconds[i][d]);
    }
  }

  // Whether all layers fit on the allowed devices with loads within `limit`.
  bool fit(const Allowed& allowed, double limit) const {
    // arrival[d][n]: the seconds of the cheapest transfer to device d before layer n, if the layers before n
    // fit on earlier devices and layer n is on d; or else infinity.
    std::vector<std::vector<double>> arrival(sums_.size(), std::vector<double>(layers_ + 1, kNever));
    for (const size_t d : allowed.devices) {
      if (allowed.follows(SIZE_MAX, d)) arrival[d][0] = 0;
      if (leave(allowed, d, limit, arrival)) return true;
    }
    return false;
  }

  // The smallest limit within which the layers fit, or infinity. The bisection runs over the bits of doubles,
  // because non-negative doubles are ordered as their bits are.
  double smallest_limit(const Allowed& allowed) const {
    constexpr double kMost = std::numeric_limits<double>::max();
    if (!fit(allowed, kMost)) return kNever;
    auto low = std::bit_cast<uint64_t>(0.0), high = std::bit_cast<uint64_t>(kMost);
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (fit(allowed, std::bit_cast<double>(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    return std::bit_cast<double>(high);
  }

 private:
  // Adds the arrivals at later devices that follow runs of layers on `d`. Returns whether such a run can end
  // the chain. Of the layers at which a run that ends before layer n may begin, the one with the smallest
  // cost gives the smallest load. These layers form a window that only moves forward.
  bool leave(const Allowed& allowed, size_t d, double limit,
             std::vector<std::vector<double>>& arrival) const {
    const auto cost = [&](size_t begin) { return arrival[d][begin] - sums_[d][begin]; };
    std::deque<size_t> window;  // first layers in ascending order, with ascending costs
    for (size_t n = 1; n <= layers_; ++n) {
      if (!std::isinf(arrival[d][n - 1])) {
        while (!window.empty() && cost(window.back()) >= cost(n - 1)) window.pop_back();
        window.push_back(n - 1);
      }
      while (!window.empty() && window.front() < earliest_[d][n]) window.pop_front();
      if (window.empty()) continue;
      const double load = sums_[d][n] + cost(window.front());
      if (load > limit) continue;
      if (n == layers_) return allowed.required == SIZE_MAX || d >= allowed.required;
      for (const size_t next : allowed.devices) {
        if (next <= d || !allowed.follows(d, next)) continue;
        const double transfer = p_.transfer(n - 1, d, next);
        if (load + transfer <= limit) arrival[next][n] = std::min(arrival[next][n], transfer);
      }
    }
    return false;
  }

  const ChainDevices& p_;
  const size_t layers_;
  std::vector<std::vector<double>> sums_;      // [device][n]: seconds of the first n layers that it can run
  std::vector<std::vector<size_t>> earliest_;  // [device]: earliest_begins
};

// The problem of a split in which every one of the devices has layers.
ChainProblem problem_of(const ChainDevices& p, const std::vector<size_t>& devices) {
  ChainProblem problem;
  problem.memory = {p.memory.bytes, p.memory.working_bytes, {}};
  for (size_t i = 0; i < p.seconds.size(); ++i) {
    auto& seconds = problem.seconds.emplace_back();
    auto& transfer = problem.transfer.emplace_back();
    for (size_t k = 0; k < devices.size(); ++k) {
      seconds.push_back(p.seconds[i][devices[k]]);
      if (k + 1 < devices.size())
        transfer.push_back(i + 1 < p.seconds.size() ? p.transfer(i, devices[k], devices[k + 1]) : 0);
    }
  }
  if (!p.memory.bytes.empty())
    for (const size_t d : devices) problem.memory.capacity.push_back(p.memory.capacity[d]);
  return problem;
}

}  // namespace

double ChainDevices::transfer(size_t layer, size_t from, size_t to) const {
  double slowest = 0;
  for (const auto& lane : ends) slowest = std::max(slowest, lane[layer][from] + lane[layer][to]);
  return slowest;
}

Result<ChainSplit> split_over_some(const ChainDevices& p) {
  if (p.seconds.empty()) return ChainSplit{};
  const size_t devices = p.seconds[0].size();
  Allowed allowed;
  for (size_t d = 0; d < devices; ++d) allowed.devices.push_back(d);
  const Passes passes(p);
  const double limit = passes.smallest_limit(allowed);
  if (std::isinf(limit))
    return unsupported("no contiguous split gives devices only layers that they can run");
  for (size_t d = devices; d-- > 0 && allowed.devices.size() > 1;) {
    Allowed others = allowed;
    std::erase(others.devices, d);
    if (passes.fit(others, limit)) allowed = std::move(others);
  }
  auto split = split_chain(problem_of(p, allowed.devices));
  if (!split) return split;
  std::vector<double> loads(devices, 0);
  for (size_t k = 0; k < allowed.devices.size(); ++k) loads[allowed.devices[k]] = split->load[k];
  split->load = std::move(loads);
  for (int& d : split->device) d = static_cast<int>(allowed.devices[static_cast<size_t>(d)]);
  return split;
}

double load_with(const ChainDevices& p, const ChainSplit& split, size_t device) {
  Allowed allowed{.devices = {}, .required = device};
  for (size_t d = 0; d < split.load.size(); ++d)
    if (d == device || std::ranges::find(split.device, static_cast<int>(d)) != split.device.end())
      allowed.devices.push_back(d);
  return Passes(p).smallest_limit(allowed);
}

}  // namespace cutset
