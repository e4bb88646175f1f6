#include "runtime/program/expand.h"

#include "ir/core/op_info.h"

namespace cutset {
namespace {

constexpr const char* kFirstElement = "first_element";

class Expander {
 public:
  explicit Expander(Function& function) : f_(function), roles_(std::move(function.roles)) {
    f_.roles.clear();
    first_sample_.push_back(0);
    for (int64_t samples : f_.shards) first_sample_.push_back(first_sample_.back() + samples);
  }

  void run() {
    for (DevicePlan& d : f_.devices) {
      auto& list = d.queues[static_cast<int>(Queue::kCompute)].compute;
      std::vector<Instruction> expanded;
      for (Instruction& i : list)
        if (const auto* call = i.as<CallRole>())
          add(*call, expanded);
        else
          expanded.push_back(std::move(i));
      list = std::move(expanded);
    }
  }

 private:
  void add(const CallRole& call, std::vector<Instruction>& list) {
    const Role& role = roles_[call.role];
    const int32_t later = call.shard - role.shard;
    std::vector<BufferId> here(role.buffers.size());
    for (size_t p = 0; p < role.parameters.size(); ++p) here[role.parameters[p].index()] = call.arguments[p];
    for (size_t b = 0; b < role.buffers.size(); ++b)
      if (!here[b].is_set()) here[b] = add(role.buffers[b], here, later);
    for (Instruction i : role.body) {
      for (const auto buffers : {i.operands(), i.results()})
        for (BufferId& b : buffers) b = here[b.index()];
      if (auto* c = i.as<RunKernel>()) {
        if (c->scratch.is_set()) c->scratch = here[c->scratch.index()];
        move_first_element(i, *c, call.shard, role.shard);
      }
      list.push_back(std::move(i));
    }
  }

  // Adds a copy of a buffer of the role for the shard that is `later` shards behind that of the role.
  BufferId add(Buffer b, const std::vector<BufferId>& here, int32_t later) {
    if (b.view_of.is_set()) {
      const Buffer& whole = f_.buffers[here[b.view_of.index()]];
      b.view_of = here[b.view_of.index()];
      b.storage = whole.storage, b.offset = whole.offset, b.variable = whole.variable, b.constant = whole.constant;
    }
    if (b.origin.number != kNone && b.origin.layout != kWholeValue) b.origin.first += later, b.origin.last += later;
    f_.buffers.push_back(std::move(b));
    return BufferId(f_.buffers.size() - 1);
  }

  // Sets the index of the first element of a kernel whose results depend on their position in the whole tensor. The
  // results of the shards are consecutive there, and each sample has the same number of elements.
  void move_first_element(const Instruction& i, RunKernel& c, int32_t shard, int32_t shard_of_role) const {
    const OpInfo* op = find_op(i.op);
    const auto here = static_cast<size_t>(shard), there = static_cast<size_t>(shard_of_role);
    const int64_t samples = first_sample_[here] - first_sample_[there];
    if (!op || !op->positional || samples == 0 || f_.shards[there] == 0) return;
    const int64_t elements = samples * (f_.buffers[c.results[0]].type.elements() / f_.shards[there]);
    for (auto& [name, value] : c.attributes)
      if (name == kFirstElement) {
        std::get<int64_t>(value) += elements;
        return;
      }
    c.attributes.emplace_back(kFirstElement, elements);
  }

  Function& f_;
  const Table<Role> roles_;
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
      if (const auto* call = i.as<CallRole>()) {
        const Role& role = function.roles[call->role];
        size += role.body.size() + role.buffers.size();
      }
  return size;
}

}  // namespace cutset
