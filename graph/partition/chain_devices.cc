// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/chain_devices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

namespace cutset {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The devices that may have layers, in ascending order, and the device that must have a layer.
struct Allowed {
  std::vector<size_t> devices;
  size_t required = SIZE_MAX;  // SIZE_MAX: none

  // Whether a run of layers on device `to` may follow a run on device `from`. If `from` is SIZE_MAX: whether
  // a run on `to` may begin the chain.
  bool follows(size_t from, size_t to) const {
    return required == SIZE_MAX || to <= required || (from != SIZE_MAX && from >= required);
  }
};

// The transfers at one place of the chain, by classes of devices. The devices of a class have equal
// ChainDevices::ends at this place. Equal devices are in one class, so there are few classes.
class Transfers {
 public:
  Transfers(const ChainDevices& p, size_t layer) {
    const size_t devices = p.seconds[0].size();
    for (size_t d = 0; d < devices; ++d) {
      size_t k = 0;
      while (k < members_.size() && !equal_ends(p, layer, members_[k], d)) ++k;
      if (k == members_.size()) members_.push_back(d);
      class_of_.push_back(static_cast<uint16_t>(k));
    }
    for (const size_t from : members_)
      for (const size_t to : members_) seconds_.push_back(p.transfer(layer, from, to));
  }
  size_t classes() const { return members_.size(); }
  size_t class_of(size_t device) const { return class_of_[device]; }
  double seconds(size_t from, size_t to) const { return seconds_[from * members_.size() + to]; }

 private:
  static bool equal_ends(const ChainDevices& p, size_t layer, size_t a, size_t b) {
    return std::ranges::all_of(p.ends, [&](const auto& lane) { return lane[layer][a] == lane[layer][b]; });
  }

  std::vector<size_t> members_;     // the first device of each class
  std::vector<uint16_t> class_of_;  // by device
  std::vector<double> seconds_;     // by class of the sender and of the receiver
};

class Passes {
 public:
  explicit Passes(const ChainDevices& p) : layers_(p.seconds.size()) {
    for (size_t d = 0; d < p.seconds[0].size(); ++d) {
      earliest_.push_back(earliest_begins(p.seconds, p.memory, d));
      auto& sums = sums_.emplace_back(layers_ + 1, 0);
      for (size_t i = 0; i < layers_; ++i)
        sums[i + 1] = sums[i] + (std::isinf(p.seconds[i][d]) ? 0 : p.seconds[i][d]);
    }
    for (size_t i = 0; i < layers_; ++i) least_work_ += *std::ranges::min_element(p.seconds[i]);
    for (size_t i = 0; i + 1 < layers_; ++i) {
      first_.push_back(places_);
      places_ += transfers_.emplace_back(p, i).classes();
    }
  }

  // Returns whether all layers fit on the allowed devices with loads within `limit`.
  bool fit(const Allowed& allowed, double limit) const {
    // No assignment is faster than one in which each layer runs on its fastest device. The factor allows for
    // the rounding of the sum.
    if (least_work_ > static_cast<double>(allowed.devices.size()) * limit * (1 + 1e-9)) return false;
    std::vector<double> least(places_, kNever);
    for (const size_t d : allowed.devices) {
      if (d == allowed.required) {
        const std::vector<double> before = std::exchange(least, std::vector<double>(places_, kNever));
        if (leave(allowed, d, limit, before, least)) return true;
      } else if (leave(allowed, d, limit, least, least)) {
        return true;
      }
    }
    return false;
  }

  // Returns the smallest limit within which the layers fit, or infinity. The bisection runs over the bits of
  // doubles, because non-negative doubles are ordered as their bits are.
  double smallest_limit(const Allowed& allowed) const {
    constexpr double kMost = std::numeric_limits<double>::max();
    if (!fit(allowed, kMost)) return kNever;
    // The work divided by the number of devices is a lower bound. The limit is rarely many times as large.
    double below = least_work_ / static_cast<double>(allowed.devices.size()) * (1 - 1e-9), above = kMost;
    for (double guess = below; guess > 0 && guess < kMost / 2; guess *= 2) {
      if (fit(allowed, guess)) {
        above = guess;
        break;
      }
      below = guess;
    }
    auto low = std::bit_cast<uint64_t>(below), high = std::bit_cast<uint64_t>(above);
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
  // Computes the runs of layers on `d` that follow the runs before it. `before` has one element per place of
  // the chain and class of the transfers at this place. The element is the smallest load, without the
  // transfer, of a device of the class whose run ends at the place. Adds the runs on `d` to `after`, which
  // may be the same object as `before`. Returns whether a run on `d` can end the chain. Of the layers at
  // which a run that ends before layer n may begin, the layer with the smallest cost gives the smallest load.
  // These layers form a window that only moves forward.
  bool leave(const Allowed& allowed, size_t d, double limit, const std::vector<double>& before,
             std::vector<double>& after) const {
    struct Begin {
      size_t layer;
      double cost;  // the transfer to the device, minus the seconds of the layers before
    };
    std::deque<Begin> window;  // in ascending order of layers, with ascending costs
    double transfer = allowed.follows(SIZE_MAX, d) ? 0 : kNever;
    for (size_t n = 1; n <= layers_; ++n) {
      if (!std::isinf(transfer)) {
        const double cost = transfer - sums_[d][n - 1];
        while (!window.empty() && window.back().cost >= cost) window.pop_back();
        window.push_back({n - 1, cost});
      }
      if (n < layers_) transfer = arrival(d, n, limit, before);  // no run on `d` ends there yet
      while (!window.empty() && window.front().layer < earliest_[d][n]) window.pop_front();
      if (window.empty()) continue;
      const double load = sums_[d][n] + window.front().cost;
      if (load > limit) continue;
      if (n == layers_) return allowed.required == SIZE_MAX || d >= allowed.required;
      double& least = after[first_[n - 1] + transfers_[n - 1].class_of(d)];
      least = std::min(least, load);
    }
    return false;
  }

  // Returns the seconds of the cheapest transfer to device d before layer n, or infinity. The load of the
  // sender, with the transfer, must be within the limit.
  double arrival(size_t d, size_t n, double limit, const std::vector<double>& before) const {
    const Transfers& transfers = transfers_[n - 1];
    const size_t to = transfers.class_of(d);
    double cheapest = kNever;
    for (size_t from = 0; from < transfers.classes(); ++from) {
      const double seconds = transfers.seconds(from, to);
      if (before[first_[n - 1] + from] + seconds <= limit) cheapest = std::min(cheapest, seconds);
    }
    return cheapest;
  }

  const size_t layers_;
  double least_work_ = 0;                      // the seconds of all layers, each on its fastest device
  std::vector<std::vector<double>> sums_;      // [device][n]: seconds of the first n layers that it can run
  std::vector<std::vector<size_t>> earliest_;  // [device]: earliest_begins
  std::vector<Transfers> transfers_;           // after each layer but the last one
  std::vector<size_t> first_;                  // the index of the first class of these transfers
  size_t places_ = 0;                          // the number of classes of all transfers
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
