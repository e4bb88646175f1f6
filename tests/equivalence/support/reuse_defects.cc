// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/reuse_defects.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "runtime/program/order/expand.h"

namespace cutset::testing {
namespace {

constexpr int kIn = static_cast<int>(Queue::kIn), kCompute = static_cast<int>(Queue::kCompute),
              kOut = static_cast<int>(Queue::kOut);
constexpr int64_t kNever = INT64_MAX;

// The times at which the compute queue accesses a buffer with its views, in `compute` and then in `apply`. A
// time is the index of an instruction.
struct Uses {
  int64_t first_write = kNever, last_write = -1, first_read = kNever, last_read = -1;
  bool arrives = false;  // the in queue writes it
  bool leaves = false;   // the out queue reads it
  bool in_bucket = false;
  bool alive_at(int64_t time) const { return last_write < time && time < last_read; }
};

class Planter {
 public:
  Planter(const Function& function, size_t most) : f_(expand(function)), most_(most) {
    for (const Role& role : function.roles)
      for (const auto& argument : role.parameters)
        for (BufferId p : argument) between_calls_.insert(role.buffers[p].origin.number);
    uses_.resize(f_.buffers.size());
    for (size_t d = 0; d < f_.devices.size(); ++d) note(f_.devices[d]);
  }

  std::vector<ReuseDefect> run() {
    for (size_t d = 0; d < f_.devices.size(); ++d) {
      slots(d);
      pairs(d);
      order(d);
    }
    std::vector<ReuseDefect> chosen;
    for (auto& [kind, all] : found_)
      for (size_t n = 0, count = std::min(most_, all.size()); n < count; ++n)
        chosen.push_back(all[n * all.size() / count]());
    return chosen;
  }

 private:
  using Plant = std::function<ReuseDefect()>;

  BufferId root(BufferId b) const {
    while (f_.buffers[b].view_of.is_set()) b = f_.buffers[b].view_of;
    return b;
  }
  Uses& of(BufferId b) { return uses_[root(b).index()]; }
  const std::vector<Instruction>& compute(size_t d) const { return f_.devices[d].queues[kCompute].compute; }

  void note(const DevicePlan& d) {
    for (const Instruction& i : d.queues[kIn].compute)
      for (BufferId b : i.results()) of(b).arrives = true;
    for (const Instruction& i : d.queues[kOut].compute)
      for (BufferId b : i.operands()) of(b).leaves = true;
    for (const Sequence& s : d.queues)
      for (const Instruction& i : s.compute)
        if (!i.pieces().empty()) {
          of(i.bucket()).in_bucket = true;
          for (BufferId b : i.pieces()) of(b).in_bucket = true;
        }
    int64_t time = 0;
    for (const auto* list : {&d.queues[kCompute].compute, &d.queues[kCompute].apply})
      for (const Instruction& i : *list) {
        for (BufferId b : i.operands()) {
          of(b).first_read = std::min(of(b).first_read, time);
          of(b).last_read = time;
        }
        for (BufferId b : i.results()) {
          of(b).first_write = std::min(of(b).first_write, time);
          of(b).last_write = time;
        }
        ++time;
      }
  }

  // Returns the buffers of an arena that are neither views nor in a bucket, and have at least one byte.
  std::vector<BufferId> movable(size_t d) {
    std::vector<BufferId> list;
    for (size_t b = 0; b < f_.buffers.size(); ++b) {
      const Buffer& buffer = f_.buffers[b];
      if (buffer.device == static_cast<int32_t>(d) && buffer.storage == Storage::kArena &&
          !buffer.view_of.is_set() && buffer.type.bytes() > 0 && !uses_[b].in_bucket)
        list.emplace_back(b);
    }
    return list;
  }

  std::string text(BufferId b) const {
    const Buffer& buffer = f_.buffers[b];
    return "buffer " + std::to_string(b.value) + " of " + to_string(buffer.type) + ", shard " +
           std::to_string(buffer.origin.first);
  }

  void add(const std::string& kind, size_t d, const std::string& what,
           std::function<void(Function&)> change) {
    found_[kind].push_back([=, this] {
      ReuseDefect defect{kind, what, f_.devices[d].device, f_};
      change(defect.function);
      return defect;
    });
  }
  // Moves a buffer with its views to the memory of another buffer. The arena may have to grow.
  void add_move(const std::string& kind, size_t d, BufferId moved, BufferId onto) {
    add(kind, d, text(moved) + " is moved onto " + text(onto),
        [=, this](Function& f) { move(f, d, moved, onto); });
  }
  void move(Function& f, size_t d, BufferId moved, BufferId onto) const {
    for (size_t b = 0; b < f.buffers.size(); ++b)
      if (f.buffers[b].storage == Storage::kArena && root(BufferId(b)) == moved)
        f.buffers[b].offset = f_.buffers[onto].offset;
    uint64_t& bytes = f.devices[d].arena_bytes;
    bytes = std::max(bytes, f.buffers[moved].offset + static_cast<uint64_t>(f.buffers[moved].type.bytes()));
  }

  // Adds defects in which the values that an op has for the micro-batches have one slot too few. The slot
  // that was added last is needed while all other slots hold values.
  void slots(size_t d) {
    std::map<std::pair<int32_t, int64_t>, std::vector<BufferId>> results;  // by number of the value and bytes
    for (BufferId b : movable(d))
      if (const Buffer& buffer = f_.buffers[b]; buffer.origin.number != kNone &&
                                                between_calls_.contains(buffer.origin.number) &&
                                                uses_[b.index()].first_write != kNever)
        results[{buffer.origin.number, buffer.type.bytes()}].push_back(b);
    for (auto& [key, buffers] : results) {
      std::ranges::sort(buffers, {}, [&](BufferId b) { return uses_[b.index()].first_write; });
      std::vector<uint64_t> order;  // the offsets of the slots in the order of their first use
      for (BufferId b : buffers)
        if (std::find(order.begin(), order.end(), f_.buffers[b].offset) == order.end())
          order.push_back(f_.buffers[b].offset);
      const BufferId first = buffers.front();
      // A value that is sent may be safe: if the device has received an answer to it, the value has left
      // before its memory is used again.
      if (order.size() < 2 || uses_[first.index()].in_bucket || uses_[first.index()].leaves) continue;
      add("a frame slot too few", d,
          "value " + std::to_string(key.first) + " has " + std::to_string(order.size() - 1) +
              " slots instead of " + std::to_string(order.size()),
          [=, this, buffers = buffers](Function& f) {
            for (BufferId b : buffers)
              if (f_.buffers[b].offset == order.back()) move(f, d, b, first);
          });
    }
  }

  // Whether the compute queue waits for another queue in [first, last).
  bool waits_between(size_t d, int64_t first, int64_t last) const {
    for (int64_t t = first; t < last && t < static_cast<int64_t>(compute(d).size()); ++t)
      if (compute(d)[static_cast<size_t>(t)].is<AwaitEvent>()) return true;
    return false;
  }

  void pairs(size_t d) {
    const auto all = movable(d);
    const auto committed = static_cast<int64_t>(compute(d).size());
    for (BufferId a : all)
      for (BufferId b : all) {
        const Uses &x = uses_[a.index()], &y = uses_[b.index()];
        const ValueOrigin &o = f_.buffers[a].origin, &p = f_.buffers[b].origin;
        if (a == b || f_.buffers[a].offset == f_.buffers[b].offset) continue;
        const bool computed = !x.arrives && x.last_write >= 0;
        if (computed && y.first_write != kNever && x.alive_at(y.first_write)) {
          if (o.number != kNone && o.number == p.number && o.first != p.first)
            add_move("a value in the slot of another micro-batch", d, b, a);
          else if (x.last_read >= committed)
            add_move("a value on one that the update reads", d, b, a);
          else
            add_move("a value on another one", d, b, a);
        }
        // The out queue reads `a` at any time after it is written, as long as the compute queue does not
        // wait.
        if (computed && x.leaves && !y.arrives && y.first_write != kNever && y.first_write > x.last_write &&
            y.first_write < committed && !waits_between(d, x.last_write, y.first_write))
          add_move("a value on one that is being sent", d, b, a);
        // Both buffers arrive, and the compute queue reads `b` before it reads `a`.
        if (x.arrives && y.arrives && y.first_read < x.last_read && x.last_write < 0 && a < b)
          add_move("an arrival on another one", d, b, a);
        // `b` arrives before the compute queue reads it, while `a` is alive.
        if (computed && y.arrives && y.first_read != kNever && x.alive_at(y.first_read))
          add_move("an arrival on a value", d, b, a);
      }
  }

  // Whether the first instruction after a wait for the event reads a result of `writer`.
  bool is_awaited(size_t d, EventId event, const Instruction& writer) const {
    std::set<BufferId> written;
    for (BufferId b : writer.results()) written.insert(root(b));
    for (const Sequence& s : f_.devices[d].queues) {
      auto at = std::find_if(s.compute.begin(), s.compute.end(), [&](const Instruction& i) {
        const auto* wait = i.as<AwaitEvent>();
        return wait && wait->event == event;
      });
      while (at != s.compute.end() && at->is<AwaitEvent>()) ++at;
      if (at == s.compute.end()) continue;
      for (const auto& read : {at->operands(), at->results().empty() ? at->pieces() : at->operands()})
        for (BufferId b : read)
          if (written.contains(root(b))) return true;
    }
    return false;
  }

  void order(size_t d) {
    for (int q = 0; q < kQueues; ++q) {
      const auto& list = f_.devices[d].queues[q].compute;
      for (size_t i = 0; i < list.size(); ++i) {
        if (const auto* wait = list[i].as<AwaitEvent>())
          add("a wait too few", d,
              "queue " + std::to_string(q) + " does not wait for event " + std::to_string(wait->event.value),
              [=](Function& f) {
                auto& all = f.devices[d].queues[q].compute;
                all.erase(all.begin() + static_cast<int64_t>(i));
              });
        if (const auto* signal = list[i].as<SignalEvent>();
            signal && i > 0 && is_awaited(d, signal->event, list[i - 1]))
          add("a signal too early", d,
              "event " + std::to_string(signal->event.value) + " is signalled before the result is written",
              [=](Function& f) {
                auto& all = f.devices[d].queues[q].compute;
                std::swap(all[i - 1], all[i]);
              });
      }
    }
  }

  const Function f_;  // expanded
  size_t most_;
  std::set<int32_t> between_calls_;  // the numbers of the values that calls take or return
  std::vector<Uses> uses_;           // by buffer that is not a view
  std::map<std::string, std::vector<Plant>> found_;
};

}  // namespace

const std::vector<std::string>& reuse_defect_kinds() {
  static const std::vector<std::string> kinds = {"a frame slot too few",
                                                 "a value in the slot of another micro-batch",
                                                 "a value on another one",
                                                 "a value on one that the update reads",
                                                 "a value on one that is being sent",
                                                 "an arrival on another one",
                                                 "an arrival on a value",
                                                 "a wait too few",
                                                 "a signal too early"};
  return kinds;
}

std::vector<ReuseDefect> reuse_defects(const Function& function, size_t most) {
  return Planter(function, most).run();
}

}  // namespace cutset::testing
