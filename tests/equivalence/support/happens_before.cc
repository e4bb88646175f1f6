// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/happens_before.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace cutset::testing {
namespace {

// An access of an instruction to the bytes [begin, end) of an arena or of a variable.
struct Use {
  int32_t device;
  Storage storage;
  VariableId variable;  // not set for the arena
  uint64_t begin, end;
  bool writes;
  bool meets(const Use& o) const {
    return device == o.device && storage == o.storage && variable == o.variable && begin < o.end &&
           o.begin < end && (writes || o.writes);
  }
};

struct Node {
  size_t name;  // its number among the instructions that are not waits
  int32_t device;
  bool apply;
  const Instruction* instruction;
  std::vector<size_t> after;  // the nodes that run directly before it
  std::vector<Use> uses;
};

std::vector<Use> uses_of(const Function& f, const Instruction& i) {
  std::vector<Use> uses;
  auto use = [&](BufferId b, bool writes) {
    const Buffer& buffer = f.buffers[b];
    const bool arena = buffer.storage == Storage::kArena;
    if (!arena && buffer.storage != Storage::kVariable) return;
    const uint64_t begin = arena ? buffer.offset : 0;
    uses.push_back({buffer.device, buffer.storage, buffer.variable, begin,
                    begin + static_cast<uint64_t>(buffer.type.bytes()), writes});
  };
  for (BufferId b : i.operands()) use(b, false);
  for (BufferId b : i.results()) use(b, true);
  return uses;
}

// A set of numbers below a limit. The loops run over words, because the tests are not optimized.
class Bits {
 public:
  explicit Bits(size_t limit) : words_(limit / 64 + 1) {}
  void set(size_t n) { words_[n / 64] |= uint64_t{1} << n % 64; }
  bool has(size_t n) const { return (words_[n / 64] >> n % 64 & 1) != 0; }
  void add(const Bits& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  // Returns the number of elements that both sets have.
  size_t common(const Bits& other) const {
    size_t count = 0;
    for (size_t w = 0; w < words_.size(); ++w)
      count += static_cast<size_t>(std::popcount(words_[w] & other.words_[w]));
    return count;
  }

 private:
  std::vector<uint64_t> words_;
};

// Returns the pairs of nodes that use the same bytes, if at least one of the two writes them. The first
// number of a pair is the smaller number.
std::set<std::pair<size_t, size_t>> meeting(const std::vector<Node>& nodes) {
  std::map<std::tuple<int32_t, Storage, VariableId>, std::vector<std::pair<Use, size_t>>> by_place;
  for (size_t n = 0; n < nodes.size(); ++n)
    for (const Use& use : nodes[n].uses)
      by_place[{use.device, use.storage, use.variable}].emplace_back(use, n);
  std::set<std::pair<size_t, size_t>> pairs;
  for (auto& [place, uses] : by_place) {
    std::ranges::sort(uses, {}, [](const auto& u) { return u.first.begin; });
    for (size_t i = 0; i < uses.size(); ++i)
      for (size_t j = i + 1; j < uses.size() && uses[j].first.begin < uses[i].first.end; ++j)
        if (uses[i].second != uses[j].second && uses[i].first.meets(uses[j].first))
          pairs.insert(std::minmax(uses[i].second, uses[j].second));
  }
  return pairs;
}

}  // namespace

HappensBefore::HappensBefore(const Function& f, bool messages) {
  std::vector<Node> nodes;
  std::vector<std::vector<size_t>> lists;  // by queue: its nodes in order
  size_t name = 0;
  for (size_t d = 0; d < f.devices.size(); ++d)
    for (const Sequence& s : f.devices[d].queues) {
      lists.emplace_back();
      for (const bool apply : {false, true})
        for (const Instruction& i : apply ? s.apply : s.compute) {
          lists.back().push_back(nodes.size());
          nodes.push_back(
              {i.is<AwaitEvent>() ? SIZE_MAX : name++, static_cast<int32_t>(d), apply, &i, {}, {}});
          nodes.back().uses = uses_of(f, i);
        }
    }
  std::map<std::pair<int32_t, EventId>, size_t> signals;  // by (device, event)
  std::map<ChannelId, size_t> sends;
  std::map<CollectiveId, std::vector<size_t>> starts;
  std::vector<size_t>
      last_of_compute;  // the last node of `compute` of each queue; `apply` begins after all of them
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Instruction& i = *nodes[n].instruction;
    if (const auto* c = i.as<SignalEvent>()) signals[{nodes[n].device, c->event}] = n;
    if (const auto* c = i.as<Send>()) sends[c->channel] = n;
    if (const auto* c = i.as<StartAllReduce>()) starts[c->collective].push_back(n);
  }
  for (const auto& list : lists) {
    size_t last = SIZE_MAX, computed = SIZE_MAX;
    for (size_t n : list) {
      if (last != SIZE_MAX) nodes[n].after.push_back(last);
      if (!nodes[n].apply) computed = n;
      last = n;
    }
    if (computed != SIZE_MAX) last_of_compute.push_back(computed);
  }
  for (Node& n : nodes) {
    const Instruction& i = *n.instruction;
    if (n.apply) n.after.insert(n.after.end(), last_of_compute.begin(), last_of_compute.end());
    if (const auto* c = i.as<AwaitEvent>(); c && signals.contains({n.device, c->event}))
      n.after.push_back(signals[{n.device, c->event}]);
    if (!messages) continue;
    if (const auto* c = i.as<Receive>(); c && sends.contains(c->channel))
      n.after.push_back(sends[c->channel]);
    if (const auto* c = i.as<AwaitAllReduce>()) {
      const std::vector<size_t>& parts = starts[c->collective];
      n.after.insert(n.after.end(), parts.begin(), parts.end());
    }
  }
  // Bit m of before[n] is set if m runs before n. The relation has no cycle in a program that terminates, so
  // one pass in topological order computes it.
  std::vector<Bits> before(nodes.size(), Bits(nodes.size()));
  std::vector<int> state(nodes.size());
  std::vector<size_t> stack;
  for (size_t start = 0; start < nodes.size(); ++start) {
    stack.push_back(start);
    while (!stack.empty()) {
      const size_t n = stack.back();
      if (state[n] == 2) {
        stack.pop_back();
        continue;
      }
      if (state[n] == 0) {
        state[n] = 1;
        for (size_t m : nodes[n].after)
          if (state[m] == 0) stack.push_back(m);
        continue;
      }
      for (size_t m : nodes[n].after) {
        before[n].set(m);
        before[n].add(before[m]);
      }
      state[n] = 2;
      stack.pop_back();
    }
  }
  Bits named(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].name != SIZE_MAX) named.set(n);
  for (size_t n = 0; n < nodes.size(); ++n)
    if (named.has(n)) related_ += before[n].common(named);
  for (const auto& [a, b] : meeting(nodes)) {
    if (before[b].has(a))
      ordered_.insert({nodes[a].name, nodes[b].name});
    else if (before[a].has(b))
      ordered_.insert({nodes[b].name, nodes[a].name});
    else
      unordered_.insert({nodes[a].name, nodes[b].name});
  }
}

}  // namespace cutset::testing
