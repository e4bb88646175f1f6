// SPDX-License-Identifier: Apache-2.0
// Mutations of transfers, of sums over devices, and of the order of the instructions.
#include "runtime/verify/mutations/actions.h"

#include <algorithm>

namespace cutset::mutations {
namespace {

// Returns the command that starts the collective of `sum` on the same device, or null. Sets `index` to its
// index.
const StartAllReduce* own_part(const At& at, const AwaitAllReduce& sum, size_t* index = nullptr) {
  const List& out = at.plan.queues[static_cast<int>(Queue::kOut)].compute;
  for (size_t i = 0; i < out.size(); ++i)
    if (const auto* start = out[i].as<StartAllReduce>(); start && start->collective == sum.collective) {
      if (index) *index = i;
      return start;
    }
  return nullptr;
}

std::vector<size_t> alike_arrivals(const At& at) {
  std::vector<size_t> list;
  for (size_t i = at.index + 1; i < at.list.size(); ++i)
    if (at.list[i].command.index() == at.instruction().command.index() &&
        at.buffer(at.list[i].results()[0]).type == at.buffer(at.instruction().results()[0]).type)
      list.push_back(i);
  return list;
}

// Returns the number of other rows at which the shard that the instruction copies from an input or to an
// output could begin. Returns 0 if the instruction copies no shard.
size_t other_rows(const At& at) {
  const auto* in = at.instruction().as<ReadInput>();
  const auto* out = at.instruction().as<WriteOutput>();
  if (!in && !out) return 0;
  const TensorType& port = in ? at.function.inputs[in->input].type : at.function.outputs[out->output].type;
  const TensorType& shard = at.buffer(in ? in->to : out->from).type;
  if (shard.bytes() == 0 || shard.bytes() >= port.bytes()) return 0;
  const auto d = static_cast<size_t>(in ? in->first.dimension : out->first.dimension);
  return static_cast<size_t>(port.shape[d] - shard.shape[d]);
}

void move_to_apply(const At& at, Queue queue, Effect& effect) {
  at.plan.queues[static_cast<int>(queue)].apply.push_back(at.instruction());
  at.list.erase(at.list.begin() + static_cast<int64_t>(at.index));
  effect.changed = 0;
  effect.moved_to_apply = true;
}

bool is_in_apply(const At& at) {
  return std::any_of(std::begin(at.plan.queues), std::end(at.plan.queues),
                     [&](const Sequence& s) { return &s.apply == &at.list; });
}

// Whether the instruction receives the value of a variable, which lives on another device.
bool receives_variable(const At& at) {
  const auto* receive = at.instruction().as<Receive>();
  const int32_t number = receive ? at.buffer(receive->to).origin.number : kNone;
  return number != kNone &&
         std::any_of(at.function.buffers.begin(), at.function.buffers.end(), [&](const Buffer& b) {
           return b.storage == Storage::kVariable && b.origin.number == number;
         });
}

// Whether the next instruction of the queue reads a result of this instruction. If it does not, an exchange
// of the two instructions changes no result, or their order in the queue does not decide which of them runs
// first.
bool feeds_next(const At& at) {
  if (!at.kernel() || at.index + 1 >= at.list.size() || !at.list[at.index + 1].is<RunKernel>()) return false;
  const std::set<BufferId> written(at.instruction().results().begin(), at.instruction().results().end());
  const auto read = at.list[at.index + 1].operands();
  return std::any_of(read.begin(), read.end(), [&](BufferId b) {
    return at.buffer(b).storage != Storage::kTypeOnly && lies_in(at.function, b, written);
  });
}

}  // namespace

const Kind missing_all_reduce = {[](const At& at) -> size_t {
                                   const auto* sum = at.instruction().as<AwaitAllReduce>();
                                   const auto* part = sum ? own_part(at, *sum) : nullptr;
                                   return part && at.buffer(part->from).type == at.buffer(sum->to).type;
                                 },
                                 [](const At& at, size_t, Effect& effect) {
                                   size_t start = 0;
                                   Instruction& i = at.instruction();
                                   const auto& sum = *i.as<AwaitAllReduce>();
                                   const StartAllReduce* part = own_part(at, sum, &start);
                                   const List& out = at.plan.queues[static_cast<int>(Queue::kOut)].compute;
                                   i.command = CopyBuffer{part->from, sum.to};
                                   List with{i};
                                   if (start > 0 && out[start - 1].is<AwaitEvent>())
                                     with.insert(with.begin(), out[start - 1]);
                                   const auto place =
                                       at.list.erase(at.list.begin() + static_cast<int64_t>(at.index));
                                   at.list.insert(place, with.begin(), with.end());
                                   effect.changed = with.size();
                                 }};

const Kind swapped_recv = {[](const At& at) {
                             const Instruction& i = at.instruction();
                             return i.is<Receive>() || i.is<AwaitAllReduce>() ? alike_arrivals(at).size() : 0;
                           },
                           [](const At& at, size_t choice, Effect& effect) {
                             const size_t other = alike_arrivals(at)[choice];
                             Instruction &i = at.instruction(), &with = at.list[other];
                             if (i.is<Receive>())
                               std::swap(i.as<Receive>()->channel, with.as<Receive>()->channel);
                             else
                               std::swap(i.as<AwaitAllReduce>()->collective,
                                         with.as<AwaitAllReduce>()->collective);
                             effect.touched.insert(with.results().begin(), with.results().end());
                             effect.others.insert(other);
                           }};

const Kind wrong_share = {[](const At& at) { return other_rows(at); },
                          [](const At& at, size_t choice, Effect&) {
                            Instruction& i = at.instruction();
                            FirstRow& first =
                                i.is<ReadInput>() ? i.as<ReadInput>()->first : i.as<WriteOutput>()->first;
                            const auto other = static_cast<int64_t>(choice);
                            first.start = other >= first.start ? other + 1 : other;
                          }};

const Kind update_twice = {[](const At& at) { return static_cast<size_t>(updates(at.instruction())); },
                           [](const At& at, size_t, Effect& effect) {
                             at.list.insert(at.list.begin() + static_cast<int64_t>(at.index),
                                            Instruction(at.instruction()));
                             effect.changed = 2;
                           }};

const Kind dropped_update = {[](const At& at) { return static_cast<size_t>(updates(at.instruction())); },
                             [](const At& at, size_t, Effect& effect) {
                               at.list.erase(at.list.begin() + static_cast<int64_t>(at.index));
                               effect.changed = 0;
                               effect.seen_in_variables = true;
                             }};

const Kind early_update = {
    [](const At& at) { return static_cast<size_t>(updates(at.instruction()) && !is_in_apply(at)); },
    [](const At& at, size_t, Effect& effect) { move_to_apply(at, Queue::kCompute, effect); }};

const Kind stale_shared_value = {
    [](const At& at) { return static_cast<size_t>(receives_variable(at) && !is_in_apply(at)); },
    [](const At& at, size_t, Effect& effect) { move_to_apply(at, Queue::kIn, effect); }};

const Kind reordered_actions = {[](const At& at) { return static_cast<size_t>(feeds_next(at)); },
                                [](const At& at, size_t, Effect& effect) {
                                  const auto& next = at.list[at.index + 1].results();
                                  effect.touched.insert(next.begin(), next.end());
                                  std::swap(at.list[at.index], at.list[at.index + 1]);
                                  effect.changed = 2;
                                }};

}  // namespace cutset::mutations
