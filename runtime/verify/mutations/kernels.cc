// SPDX-License-Identifier: Apache-2.0
// Mutations of kernels: another op, other attributes, other constants, or an operand less.
#include "runtime/verify/mutations/kernels.h"

#include <algorithm>
#include <cstring>

#include "ir/core/op/op_info.h"
#include "ir/core/tensor_view.h"

namespace cutset::mutations {
namespace {

// Returns the kernel for the op `name` with these attributes on the operands and results of the instruction,
// or null if the types do not fit or the device has no kernel.
const cutset_kernel* kernel_for(const At& at, const std::string& name, const Attributes& attributes) {
  const OpInfo* op = find_op(name);
  auto flat = op ? FlatAttrs::pack(op->schema, attributes) : Result<FlatAttrs>(invalid_argument("no op"));
  if (!flat) return nullptr;
  Types in, out;
  for (BufferId b : at.kernel()->operands) in.push_back(at.buffer(b).type);
  for (BufferId b : at.kernel()->results) out.push_back(at.buffer(b).type);
  auto types = op->infer(flat->data(), in);
  if (!types || *types != out) return nullptr;
  auto choice = at.description.choose(*op, flat->data(), in, out);
  return choice ? choice->kernel : nullptr;
}

std::vector<std::string> siblings(const At& at) {
  std::vector<std::string> names;
  const OpInfo* own = find_op(at.instruction().op());
  for (const OpInfo* op : all_ops())
    if (op != own && std::string(op->family) == own->family && op->operands == own->operands &&
        kernel_for(at, op->name, at.kernel()->attributes))
      names.push_back(op->name);
  return names;
}

// Returns the attributes with one axis changed, two axes of a permutation swapped, or a `transpose` flag
// inverted, as far as the types of the instruction allow it.
std::vector<Attributes> other_axes(const At& at) {
  const Attributes& attributes = at.kernel()->attributes;
  const OpInfo* op = find_op(at.instruction().op());
  auto all = attributes;
  for (const AttrField& f : op->schema.fields)
    if (std::none_of(all.begin(), all.end(), [&](const auto& a) { return a.first == f.name; }))
      all.emplace_back(f.name, f.value);
  std::vector<Attributes> list;
  auto keep = [&](const Attributes& changed) {
    if (kernel_for(at, op->name, changed)) list.push_back(changed);
  };
  int rank = 0;
  for (BufferId b : at.kernel()->operands) rank = std::max(rank, at.buffer(b).type.rank());
  for (size_t a = 0; a < all.size(); ++a) {
    const std::string& name = all[a].first;
    Attributes changed = all;
    if (name == "axis") {
      for (int64_t v = 0; v < rank; ++v)
        if (changed[a].second = v;
            changed[a].second != all[a].second && v - rank != std::get<int64_t>(all[a].second))
          keep(changed);
    } else if (name == "axes" || name == "permutation") {
      const IntList numbers = std::get<IntList>(all[a].second);
      for (size_t i = 0; i < numbers.size(); ++i) {
        for (size_t j = i + 1; j < numbers.size() && name == "permutation"; ++j) {
          auto swapped = numbers;
          std::swap(swapped[i], swapped[j]);
          changed[a].second = swapped;
          keep(changed);
        }
        for (int64_t v = 0; v < rank && name == "axes"; ++v) {
          auto other = numbers;
          other[i] = v;
          if (v != numbers[i] && v - rank != numbers[i]) {
            changed[a].second = other;
            keep(changed);
          }
        }
      }
    } else if (name.rfind("transpose", 0) == 0) {
      changed[a].second = !std::get<bool>(all[a].second);
      keep(changed);
    }
  }
  return list;
}

// Whether the buffer is a constant scalar above 1. Such a constant is the number of samples that a mean
// divides by.
bool is_count(const At& at, BufferId b) {
  const Buffer& buffer = at.buffer(b);
  if (buffer.storage != Storage::kConstant || buffer.type.rank() != 0 || buffer.origin.number == kNone)
    return false;
  const auto& bytes = at.program.constants[buffer.constant].bytes;
  double value = 0;
  (void)dispatch_float(buffer.type.dtype, [&]<class T>(T v) {
    std::memcpy(&v, bytes.data(), sizeof v);
    value = v;
  });
  return value > 1;
}

size_t counts(const At& at) {
  const Instruction& i = at.instruction();
  return (i.is<RunKernel>() || i.is<StartAllReduce>()) &&
         std::any_of(i.operands().begin(), i.operands().end(), [&](BufferId b) { return is_count(at, b); });
}

// Replaces the first operand that is a count by a constant with the value other(at, count).
void replace_count(const At& at, double (*other)(const At& at, double count)) {
  for (BufferId& b : at.instruction().operands()) {
    if (!is_count(at, b)) continue;
    const TensorType type = at.buffer(b).type;
    Constant changed = at.program.constants[at.buffer(b).constant];
    (void)dispatch_float(type.dtype, [&]<class T>(T v) {
      std::memcpy(&v, changed.bytes.data(), sizeof v);
      v = T(other(at, double(v)));
      std::memcpy(changed.bytes.data(), &v, sizeof v);
    });
    Buffer buffer = at.buffer(b);
    buffer.constant = at.program.constants.next();
    at.program.constants.push_back(std::move(changed));
    b = at.function.buffers.next();
    at.function.buffers.push_back(buffer);
    return;
  }
}

// Returns the number of samples of the first shard in place of the number of samples of all shards.
double local(const At& at, double count) {
  const auto& shards = at.function.shards;
  int64_t all = 0;
  for (int64_t rows : shards) all += rows;
  return count * static_cast<double>(shards[0]) / static_cast<double>(all);
}

bool is_division(const At& at) {
  const Instruction& i = at.instruction();
  return i.is<RunKernel>() && i.op() == "div" && at.buffer(i.operands()[1]).type.rank() == 0 &&
         at.buffer(i.operands()[0]).type == at.buffer(i.results()[0]).type;
}

// Returns the attributes of the instruction, with `by` added to the integer `name`.
Attributes with(const At& at, const std::string& name, int64_t by) {
  Attributes all = at.kernel()->attributes;
  for (auto& [key, value] : all)
    if (key == name) {
      std::get<int64_t>(value) += by;
      return all;
    }
  all.emplace_back(name, by);
  return all;
}

// Returns the attributes of a slice that begins one row earlier, and of a slice that begins one row later.
std::vector<Attributes> other_slices(const At& at) {
  std::vector<Attributes> list;
  if (at.instruction().op() != "slice") return list;
  for (const int64_t by : {-1, 1})
    if (Attributes moved = with(at, "start", by); kernel_for(at, "slice", moved)) list.push_back(moved);
  return list;
}

// Returns the attributes with the position of the shard moved by one step, if the kernel reads this position.
std::vector<Attributes> other_positions(const At& at) {
  std::vector<Attributes> list;
  const std::string& name = at.instruction().op();
  const OpInfo* op = find_op(name);
  Types in;
  for (BufferId b : at.kernel()->operands) in.push_back(at.buffer(b).type);
  const auto flat = FlatAttrs::pack(op->schema, at.kernel()->attributes);
  if (!flat || !op->infer(flat->data(), in)) return list;
  for (const Factor& f : op->shard(flat->data(), in).factors)
    for (const int64_t by : {-1, 1})
      if (f.first_step)
        if (Attributes moved = with(at, f.first_step, by); kernel_for(at, name, moved)) list.push_back(moved);
  return list;
}

bool draws(const At& at) {
  return at.kernel() && find_op(at.instruction().op())->positional &&
         at.buffer(at.instruction().results()[0]).type.rank() > 0;
}

// Returns the number of operands if the instruction adds tensors of one type, and otherwise 0.
size_t terms(const At& at) {
  const Instruction& i = at.instruction();
  if (!i.is<RunKernel>() || (i.op() != "add" && i.op() != "add_n") || i.operands().size() < 2) return 0;
  for (BufferId b : i.operands())
    if (at.buffer(b).type != at.buffer(i.results()[0]).type || at.buffer(b).storage == Storage::kTypeOnly)
      return 0;
  return i.operands().size();
}

size_t votes(const At& at) {
  const Instruction& i = at.instruction();
  return i.op() == "all_finite" && i.operands().size() > 1 ? i.operands().size() : 0;
}

}  // namespace

const Kind dropped_count = {
    counts, [](const At& at, size_t, Effect&) { replace_count(at, [](const At&, double) { return 1.0; }); }};

const Kind local_count = {[](const At& at) { return at.function.shards.size() > 1 ? counts(at) : 0; },
                          [](const At& at, size_t, Effect&) { replace_count(at, local); }};

const Kind lost_division = {[](const At& at) { return static_cast<size_t>(is_division(at)); },
                            [](const At& at, size_t, Effect&) {
                              Instruction& i = at.instruction();
                              i.command = CopyBuffer{i.operands()[0], i.results()[0]};
                            }};

const Kind wrong_kernel = {[](const At& at) { return at.kernel() ? siblings(at).size() : 0; },
                           [](const At& at, size_t choice, Effect&) {
                             at.instruction().set_op(siblings(at)[choice]);
                             at.kernel()->kernel =
                                 kernel_for(at, at.instruction().op(), at.kernel()->attributes)->name;
                           }};

const Kind wrong_axis = {[](const At& at) { return at.kernel() ? other_axes(at).size() : 0; },
                         [](const At& at, size_t choice, Effect&) {
                           at.kernel()->attributes = other_axes(at)[choice];
                           at.kernel()->kernel =
                               kernel_for(at, at.instruction().op(), at.kernel()->attributes)->name;
                         }};

const Kind wrong_first_element = {[](const At& at) -> size_t {
                                    return draws(at) ? 1 : at.kernel() ? other_positions(at).size() : 0;
                                  },
                                  [](const At& at, size_t choice, Effect&) {
                                    if (!draws(at)) {
                                      at.kernel()->attributes = other_positions(at)[choice];
                                      return;
                                    }
                                    const TensorType& type = at.buffer(at.instruction().results()[0]).type;
                                    at.kernel()->attributes =
                                        with(at, "first_element",
                                             type.shape[0] ? type.elements() / type.shape[0] : 1);
                                  }};

const Kind wrong_slice = {
    [](const At& at) { return at.kernel() ? other_slices(at).size() : 0; },
    [](const At& at, size_t choice, Effect&) { at.kernel()->attributes = other_slices(at)[choice]; }};

const Kind lost_term = {
    terms, [](const At& at, size_t choice, Effect&) {
      Instruction& i = at.instruction();
      if (i.operands().size() > 2)
        at.kernel()->operands.erase(at.kernel()->operands.begin() + static_cast<int64_t>(choice));
      else
        i.command = CopyBuffer{i.operands()[1 - choice], i.results()[0]};
    }};

const Kind doubled_term = {terms, [](const At& at, size_t choice, Effect&) {
                             auto& operands = at.kernel()->operands;
                             operands[choice] = operands[choice == 0 ? 1 : 0];
                           }};

const Kind missing_vote = {
    votes, [](const At& at, size_t choice, Effect& effect) {
      const BufferId untested = at.kernel()->operands[choice];
      effect.touched.insert(untested);
      at.kernel()->operands.erase(at.kernel()->operands.begin() + static_cast<int64_t>(choice));
      for (FiniteCheck& c : at.function.checks)
        if (c.flag == at.instruction().results()[0])
          c.tensors.erase(c.tensors.begin() + static_cast<int64_t>(choice));
    }};

}  // namespace cutset::mutations
