// SPDX-License-Identifier: Apache-2.0
// Mutations of the memory that an instruction reads: a value that is older, of another micro-batch, of
// another sum, or not yet summed.
#include "runtime/verify/mutations/values.h"

#include <algorithm>

#include "ir/core/op/op_info.h"

namespace cutset::mutations {
namespace {

// Returns the buffers that a stale read could read instead of `operand`. They have its type, and hold another
// value or the same value for other shards. They are written earlier in the list or hold a variable.
std::vector<BufferId> older(const At& at, BufferId operand) {
  std::vector<char> written(at.function.buffers.size(), 0);
  for (size_t i = 0; i < at.index; ++i)
    for (BufferId b : at.list[i].results()) written[b.index()] = 1;
  const Buffer& value = at.buffer(operand);
  std::vector<BufferId> list;
  for (size_t b = 0; b < at.function.buffers.size(); ++b) {
    const Buffer& other = at.function.buffers[b];
    if (other.device != at.device || other.type != value.type || other.origin.number == kNone ||
        (other.origin.number == value.origin.number && other.origin.first == value.origin.first))
      continue;
    const bool other_variable = other.storage == Storage::kVariable &&
                                (value.storage != Storage::kVariable || other.variable != value.variable);
    if (other_variable || (other.storage == Storage::kArena && written[b])) list.push_back(BufferId(b));
  }
  return list;
}

std::vector<VariableId> alike_variables(const At& at, VariableId id) {
  std::vector<VariableId> list;
  const Variable& variable = at.program.variables[id];
  for (size_t v = 0; v < at.program.variables.size(); ++v)
    if (VariableId(v) != id && at.program.variables[v].type == variable.type &&
        std::count(at.program.variables[v].homes.begin(), at.program.variables[v].homes.end(), at.device))
      list.push_back(VariableId(v));
  return list;
}
VariableId variable_read(const At& at) {
  for (BufferId b : at.kernel()->operands)
    if (at.buffer(b).storage == Storage::kVariable) return at.buffer(b).variable;
  return {};
}

// Calls f(operand, candidates) for each operand that the instruction reads, with the buffers that `others`
// gives for it.
template <class F>
void for_each_operand(const At& at, std::vector<BufferId> (*others)(const At& at, BufferId operand), F&& f) {
  if (!at.kernel()) return;
  for (BufferId& b : at.instruction().operands())
    if (at.buffer(b).storage != Storage::kTypeOnly) f(b, others(at, b));
}
template <std::vector<BufferId> (*others)(const At& at, BufferId operand)>
size_t count_reads(const At& at) {
  size_t n = 0;
  for_each_operand(at, others, [&](BufferId&, const auto& candidates) { n += candidates.size(); });
  return n;
}
template <std::vector<BufferId> (*others)(const At& at, BufferId operand)>
void replace_read(const At& at, size_t choice, Effect&) {
  for_each_operand(at, others, [&, done = false](BufferId& b, const auto& candidates) mutable {
    if (done) return;
    done = choice < candidates.size();
    if (done)
      b = candidates[choice];
    else
      choice -= candidates.size();
  });
}

// Returns the buffers of the same value for the micro-batches before and after the micro-batch of `operand`.
std::vector<BufferId> neighbours(const At& at, BufferId operand) {
  std::vector<BufferId> list;
  const Buffer& value = at.buffer(operand);
  const ValueOrigin& o = value.origin;
  if (o.number == kNone || o.layout == kWholeValue || value.storage != Storage::kArena) return list;
  for (size_t b = 0; b < at.function.buffers.size(); ++b) {
    const Buffer& other = at.function.buffers[b];
    const ValueOrigin& p = other.origin;
    if (other.device == at.device && other.type == value.type && other.storage == Storage::kArena &&
        p.number == o.number && p.layout == o.layout && std::abs(p.first - o.first) == 1 &&
        p.last - p.first == o.last - o.first && root(at.function, BufferId(b)) != root(at.function, operand))
      list.emplace_back(b);
  }
  return list;
}

// Returns the partial sums of a value that `operand` holds as a whole.
std::vector<BufferId> partials(const At& at, BufferId operand) {
  std::vector<BufferId> list;
  const Buffer& value = at.buffer(operand);
  if (value.origin.number == kNone || value.origin.layout != kWholeValue) return list;
  for (size_t b = 0; b < at.function.buffers.size(); ++b) {
    const Buffer& other = at.function.buffers[b];
    if (other.device == at.device && other.type == value.type && other.storage == Storage::kArena &&
        other.origin.number == value.origin.number && other.origin.layout == kPartialSum &&
        root(at.function, BufferId(b)) != root(at.function, operand))
      list.emplace_back(b);
  }
  return list;
}

// Returns the leaves that other additions of the list add to sums of the same type.
std::vector<BufferId> other_leaves(const At& at) {
  std::vector<BufferId> list;
  if (at.instruction().op() != "accumulate") return list;
  const auto& operands = at.instruction().operands();
  for (const Instruction& i : at.list)
    if (i.op() == "accumulate" && i.operands()[1] != operands[1] &&
        at.buffer(i.operands()[1]).type == at.buffer(operands[1]).type &&
        at.buffer(i.operands()[1]).origin.first == at.buffer(operands[1]).origin.first)
      list.push_back(i.operands()[1]);
  return list;
}

}  // namespace

const Kind stale_read = {count_reads<older>, replace_read<older>};

const Kind wrong_micro_batch = {count_reads<neighbours>, replace_read<neighbours>};

const Kind partial_for_whole = {count_reads<partials>, replace_read<partials>};

const Kind wrong_slot = {
    [](const At& at) { return at.kernel() ? other_leaves(at).size() : 0; },
    [](const At& at, size_t choice, Effect&) { at.kernel()->operands[1] = other_leaves(at)[choice]; }};

const Kind exchanged_variables = {
    [](const At& at) {
      return at.kernel() && variable_read(at).is_set() ? alike_variables(at, variable_read(at)).size() : 0;
    },
    [](const At& at, size_t choice, Effect& effect) {
      const VariableId a = variable_read(at), b = alike_variables(at, a)[choice];
      for (size_t n = 0; n < at.function.buffers.size(); ++n)
        if (Buffer& buffer = at.function.buffers[n]; buffer.device == at.device &&
                                                     buffer.storage == Storage::kVariable &&
                                                     (buffer.variable == a || buffer.variable == b)) {
          buffer.variable = buffer.variable == a ? b : a;
          effect.touched.insert(BufferId(n));
        }
      effect.variables_change = true;
    }};

}  // namespace cutset::mutations
