// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/expand.h"

#include <numeric>

#include "ir/core/op/op_info.h"
#include "runtime/program/order/role_accesses.h"

namespace cutset {
namespace {

constexpr const char* kFirstElement = "first_element";
constexpr const char* kRowsPerSample = "rows_per_sample";
constexpr const char* kStart = "start";

class Expander {
 public:
  explicit Expander(Function& function)
      : f_(function), frames_(std::move(function.frames)), roles_(std::move(function.roles)) {
    f_.frames.clear();
    f_.roles.clear();
    for (const Role& r : roles_) accesses_.push_back(RoleAccesses::of(r));
    for (size_t b = 0; b < f_.buffers.size(); ++b) now_.push_back(BufferId(b));
    written_.resize(now_.size(), false);
    read_in_.resize(now_.size(), 0);
    first_sample_.push_back(0);
    for (int64_t samples : f_.shards) first_sample_.push_back(first_sample_.back() + samples);
  }

  void run() {
    for (DevicePlan& d : f_.devices) {
      auto& list = d.queues[static_cast<int>(Queue::kCompute)].compute;
      std::vector<Instruction> expanded;
      for (Instruction& i : list)
        if (const auto* call = i.as<CallRole>()) {
          add(*call, expanded);
        } else {
          rename(i);
          expanded.push_back(std::move(i));
        }
      list = std::move(expanded);
    }
    // The other lists use no values of single micro-batches, so a later call does not overwrite what they
    // use.
    for (DevicePlan& d : f_.devices)
      for (int q = 0; q < kQueues; ++q) {
        if (static_cast<Queue>(q) != Queue::kCompute) rename(d.queues[q].compute);
        rename(d.queues[q].apply);
      }
    for (FiniteCheck& c : f_.checks) {
      rename(c.flag);
      for (FiniteCheck::Tensor& t : c.tensors) rename(t.buffer);
    }
  }

 private:
  // Calls f(parameter, buffer of the function that the call gives, accesses) for all parameters of the role.
  template <class F>
  void for_each_parameter(const CallRole& call, const Role& role, F&& f) const {
    for (size_t a = 0; a < role.parameters.size(); ++a)
      for (size_t e = 0; e < role.parameters[a].size(); ++e)
        f(role.parameters[a][e], frames_[call.arguments[a]].buffers[e],
          accesses_[call.role.index()].arguments[a].buffers[e]);
  }

  // Replaces a buffer by the buffer that stands for its latest value.
  void rename(BufferId& b) const {
    if (b.is_set() && b.index() < now_.size()) b = now_[b.index()];
  }
  void rename(Instruction& i) const {
    for (const auto buffers : {i.operands(), i.results(), i.pieces()})
      for (BufferId& b : buffers) rename(b);
  }

  void rename(std::vector<Instruction>& list) const {
    for (Instruction& i : list) rename(i);
  }

  void add(const CallRole& call, std::vector<Instruction>& list) {
    const Role& role = roles_[call.role];
    const int32_t later = call.shard - role.shard;
    std::vector<BufferId> here(role.buffers.size());
    ++call_;
    for_each_parameter(call, role, [&](BufferId parameter, BufferId argument, RoleAccesses::Access access) {
      here[parameter.index()] = now_[argument.index()];
      if (access.read) read_in_[argument.index()] = call_;
    });
    for_each_parameter(call, role, [&](BufferId parameter, BufferId argument, RoleAccesses::Access access) {
      if (access.written)
        here[parameter.index()] = next_value(argument, moved(role.buffers[parameter].origin, call, later));
    });
    for (size_t b = 0; b < role.buffers.size(); ++b)
      if (!here[b].is_set()) here[b] = add(role.buffers[b], here, later);
    for (Instruction i : role.body) {
      for (const auto buffers : {i.operands(), i.results()})
        for (BufferId& b : buffers) b = here[b.index()];
      if (auto* c = i.as<RunKernel>()) {
        move_first_element(i, *c, call.shard, role.shard);
        move_rows(i, *c, call.shard, role.shard);
      }
      list.push_back(std::move(i));
    }
  }

  // Adds a copy of a buffer of the role, for the shard that is `later` shards after the shard of the role.
  BufferId add(Buffer b, const std::vector<BufferId>& here, int32_t later) {
    if (b.view_of.is_set()) {
      const Buffer& viewed = f_.buffers[here[b.view_of.index()]];
      b.view_of = here[b.view_of.index()];
      b.storage = viewed.storage;
      b.offset = viewed.offset;
      b.variable = viewed.variable;
      b.constant = viewed.constant;
    }
    if (b.origin.number != kNone && b.origin.layout != kWholeValue) {
      b.origin.first += later;
      b.origin.last += later;
    }
    f_.buffers.push_back(std::move(b));
    return BufferId(f_.buffers.size() - 1);
  }

  // Returns the origin of a result of a call, given the origin of the value that the role returns.
  static ValueOrigin moved(ValueOrigin origin, const CallRole& call, int32_t later) {
    if (origin.number == kNone || origin.layout == kWholeValue) return origin;
    origin.first = call.end == kNone ? origin.first + later : call.shard;
    origin.last = call.end == kNone ? origin.last + later : call.end;
    return origin;
  }

  // Returns the buffer for the value that the current call writes to a buffer of the function. Each value
  // after the first one has its own buffer, because it has another origin. The buffer is a view of the value
  // before if the call updates that value.
  BufferId next_value(BufferId of, const ValueOrigin& origin) {
    BufferId& now = now_[of.index()];
    const bool updates = read_in_[of.index()] == call_;
    if (written_[of.index()] || updates) {
      Buffer b = f_.buffers[of];
      if (updates || b.view_of.is_set()) b.view_of = now;
      now = BufferId(f_.buffers.size());
      f_.buffers.push_back(std::move(b));
    }
    written_[of.index()] = true;
    f_.buffers[now].origin = origin;
    return now;
  }

  // Sets the index of the first element of a kernel whose results depend on their position in the whole
  // tensor. The results of the shards are consecutive there, and each sample has the same number of elements.
  void move_first_element(const Instruction& i, RunKernel& c, int32_t shard, int32_t shard_of_role) const {
    const OpInfo* op = find_op(i.op());
    const auto here = static_cast<size_t>(shard), there = static_cast<size_t>(shard_of_role);
    const int64_t samples = first_sample_[here] - first_sample_[there];
    if (!op || !op->positional || samples == 0 || f_.shards[there] == 0) return;
    const int64_t all = f_.buffers[c.results[0]].type.elements(), common = std::gcd(all, f_.shards[there]);
    const int64_t elements = samples / (f_.shards[there] / common) * (all / common);
    for (auto& [name, value] : c.attributes)
      if (name == kFirstElement) {
        std::get<int64_t>(value) += elements;
        return;
      }
    c.attributes.emplace_back(kFirstElement, elements);
  }

  // Moves the rows that a slice reads of a value of the whole batch. Of the attributes, only `start` changes.
  // check_roles has checked both.
  void move_rows(const Instruction& i, RunKernel& c, int32_t shard, int32_t shard_of_role) const {
    const int64_t samples =
        first_sample_[static_cast<size_t>(shard)] - first_sample_[static_cast<size_t>(shard_of_role)];
    if (i.op() != "slice" || samples == 0) return;
    int64_t* start = nullptr;
    int64_t rows = 0;
    for (auto& [name, value] : c.attributes) {
      if (name == kRowsPerSample) rows = std::get<int64_t>(value);
      if (name == kStart) start = &std::get<int64_t>(value);
    }
    if (rows == 0) return;
    if (start)
      *start += samples * rows;
    else
      c.attributes.emplace_back(kStart, samples * rows);
  }

  Function& f_;
  const Table<Frame> frames_;
  const Table<Role> roles_;
  std::vector<RoleAccesses> accesses_;  // by role
  std::vector<BufferId> now_;      // by buffer of the function: the buffer that stands for its latest value
  std::vector<bool> written_;      // by buffer of the function: whether a call has written it
  std::vector<uint64_t> read_in_;  // by buffer of the function: the last call that reads it
  uint64_t call_ = 0;              // counts the calls, from 1
  std::vector<int64_t> first_sample_;  // by shard
};

}  // namespace

Function expand(Function function) {
  if (!function.roles.empty()) Expander(function).run();
  return function;
}

Program expand(Program program) {
  for (Function& f : program.functions) f = expand(std::move(f));
  return program;
}

uint64_t expanded_size(const Function& function) {
  uint64_t size = 0;
  for (const DevicePlan& d : function.devices)
    for (const Instruction& i : d.queues[static_cast<int>(Queue::kCompute)].compute)
      if (const auto* call = i.as<CallRole>(); call && call->role.index() < function.roles.size()) {
        const Role& role = function.roles[call->role];
        size += role.body.size() + role.buffers.size();
      }
  return size;
}

}  // namespace cutset
