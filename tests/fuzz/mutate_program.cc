// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_program.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/core/check_types.h"
#include "ir/core/op/op_info.h"
#include "tests/fuzz/mutate_command.h"
#include "tests/fuzz/mutate_tables.h"
#include "tests/fuzz/mutate_values.h"
#include "tests/fuzz/program_parts.h"

namespace cutset::fuzz {
namespace {

// Adapts the values of constants and variables to their types, so that a check of sizes does not hide the
// other changes.
void fit_values(SavedProgramFile& s) {
  constexpr int64_t kMost = 1 << 20;
  auto fits = [](const TensorType& t) { return check_type(t).ok() && t.bytes() < kMost; };
  for (Constant& c : s.program.constants)
    if (fits(c.type)) c.bytes.resize(static_cast<size_t>(c.type.bytes()));
  for (const Variable& v : s.program.variables) {
    auto it = s.variables.find(v.name);
    if (it == s.variables.end() && v.drawn.is_set()) continue;
    if (fits(v.type) && (it == s.variables.end() || it->second.type() != v.type))
      s.variables.insert_or_assign(v.name, HostTensor(v.type));
  }
}

void one_type(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts&) {
  List<TensorType*> types;
  for (Variable& v : s.program.variables) types.push_back(&v.type);
  for (Constant& c : s.program.constants) types.push_back(&c.type);
  for (Buffer& b : f.buffers) types.push_back(&b.type);
  for (Role& role : f.roles)
    for (Buffer& b : role.buffers) types.push_back(&b.type);
  for (auto* ports : {&f.inputs, &f.outputs})
    for (Port& port : *ports) types.push_back(&port.type);
  for (Channel& c : f.channels) types.push_back(&c.type);
  for (Collective& c : f.collectives) types.push_back(&c.type);
  if (!types.empty()) change_type(r, *any(r, types));
}
template <class F>
void for_all_types(SavedProgramFile& s, F&& change) {
  for (Variable& v : s.program.variables) change(v.type);
  for (Constant& c : s.program.constants) change(c.type);
  for (Function& f : s.program.functions) {
    for (Buffer& b : f.buffers) change(b.type);
    for (Role& role : f.roles)
      for (Buffer& b : role.buffers) change(b.type);
    for (auto* ports : {&f.inputs, &f.outputs})
      for (Port& port : *ports) change(port.type);
    for (Channel& c : f.channels) change(c.type);
    for (Collective& c : f.collectives) change(c.type);
  }
}
// Replaces one type by another wherever the program has it. Checks that compare two types cannot find this
// change.
void types_alike(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts&) {
  if (f.buffers.empty()) return;
  const TensorType from = any(r, f.buffers).type;
  TensorType to = from;
  change_type(r, to);
  for_all_types(s, [&](TensorType& t) { t = t == from ? to : t; });
}
void dtypes_alike(PhiloxSequence& r, SavedProgramFile& s, Function&, Parts&) {
  const auto to = static_cast<DType>(r.below(13));
  for_all_types(s, [&](TensorType& t) { t.dtype = t.dtype == f32 ? to : t.dtype; });
}
void a_buffer(PhiloxSequence& r, SavedProgramFile& s, Function&, Parts& p) {
  if (p.buffers.empty()) return;
  List<Buffer>& list = *any(r, p.buffers);
  Buffer& b = any(r, list);
  switch (r.below(6)) {
    case 0:
      b.offset = r.below(2) ? static_cast<uint64_t>(edge(r)) : r.below(64) * 16;
      break;
    case 1:
      b.offset = any(r, list).offset;
      break;
    case 2:
      b.storage = static_cast<Storage>(r.below(6) ? static_cast<int64_t>(r.below(5)) : edge(r));
      b.variable = VariableId(index(r, s.program.variables.size()));
      b.constant = ConstantId(index(r, s.program.constants.size()));
      break;
    case 3:
      b.view_of = BufferId(index(r, list.size()));
      break;
    case 4:
      b.device = index(r, s.program.devices.size());
      break;
    case 5:
      for (int32_t* m :
           {&b.origin.number, &b.origin.first, &b.origin.last, &b.origin.factor, &b.origin.layout})
        if (r.below(2)) *m = static_cast<int32_t>(edge(r));
      for (int32_t* m :
           {&b.origin.piece.layout, &b.origin.piece.factor, &b.origin.piece.index, &b.origin.piece.count})
        if (r.below(4) == 0) *m = static_cast<int32_t>(edge(r));
      if (r.below(4) == 0) b.origin.piece.unit = edge(r);
      break;
  }
}
void change_row(PhiloxSequence& r, FirstRow& first) {
  if (r.below(3) == 0)
    first.dimension = index(r, 3);
  else
    first.start = edge(r);
}
void an_instruction(PhiloxSequence& r, SavedProgramFile&, Function& f, Parts& p) {
  if (p.all.empty()) return;
  Instruction& i = *any(r, p.all);
  switch (r.below(7)) {
    case 0:
      i.command = another_command(r, i);
      break;
    case 1:
      std::visit([&](auto& c) { change_index(r, c); }, i.command);
      break;
    case 2:
      if (auto* c = i.as<StartAllReduce>()) c->partial = index(r, 3);
      break;
    case 3:
      if (auto* c = i.as<ReadInput>()) change_row(r, c->first);
      if (auto* c = i.as<WriteOutput>()) change_row(r, c->first);
      break;
    case 4:
      i.names = named(i.op(), any(r, {"\x1b[31m", "", "a\nb"}), i.source());
      break;
    default:
      std::visit([&](auto& c) { change_buffers(r, c, f.buffers.size()); }, i.command);
  }
}
void operands(PhiloxSequence& r, SavedProgramFile&, Function& f, Parts& p) {
  if (p.kernels.empty()) return;
  RunKernel& i = *any(r, p.kernels)->as<RunKernel>();
  change_list(r, r.below(3) ? i.operands : i.results, f.buffers.size());
}
void attributes(PhiloxSequence& r, SavedProgramFile&, Function&, Parts& p) {
  if (!p.kernels.empty()) change_attributes(r, any(r, p.kernels)->as<RunKernel>()->attributes);
}
void events(PhiloxSequence& r, SavedProgramFile&, Function& f, Parts& p) {
  if (p.others.empty() || r.below(3) == 0) {
    if (!f.devices.empty()) any(r, f.devices).events = static_cast<int32_t>(edge(r));
    return;
  }
  const Command other = any(r, p.others)->command;
  any(r, p.others)->command = other;
}
void order(PhiloxSequence& r, SavedProgramFile&, Function&, Parts& p) {
  auto& list = *any(r, p.lists);
  if (list.empty()) return;
  const auto at = list.begin() + static_cast<ptrdiff_t>(r.below(list.size()));
  switch (r.below(5)) {
    case 0:
      list.erase(at);
      break;
    case 1:
      std::swap(*at, any(r, list));
      break;
    case 2: {
      const Instruction copy = *at;
      list.insert(list.begin() + static_cast<ptrdiff_t>(r.below(list.size() + 1)), copy);
      break;
    }
    case 3: {
      const Instruction copy = *at;
      any(r, p.lists)->push_back(copy);
      break;
    }
    case 4:
      if (r.below(4) == 0) list.clear();
      break;
  }
}

struct Named {
  const char* name;
  Change change;
};
constexpr Named kChanges[] = {{"one type", one_type},
                              {"equal types", types_alike},
                              {"element types", dtypes_alike},
                              {"a buffer", a_buffer},
                              {"a buffer", a_buffer},
                              {"an instruction", an_instruction},
                              {"an instruction", an_instruction},
                              {"operands", operands},
                              {"attributes", attributes},
                              {"attributes", attributes},
                              {"events", events},
                              {"roles", change_roles},
                              {"the order", order},
                              {"transfers", change_transfers},
                              {"devices", change_devices},
                              {"names", change_names},
                              {"sizes", change_sizes}};

}  // namespace

ProgramMutator::ProgramMutator(const std::vector<SavedProgramFile>& programs) {
  std::set<std::string> kernels;
  for (const SavedProgramFile& s : programs)
    for (const Function& f : s.program.functions)
      for (const DevicePlan& d : f.devices)
        for (const Sequence& q : d.queues)
          for (const auto* l : {&q.compute, &q.apply})
            for (const Instruction& i : *l)
              if (const auto* c = i.as<RunKernel>()) kernels.insert(c->kernel);
  kernels_.assign(kernels.begin(), kernels.end());
  for (const OpInfo* op : all_ops()) ops_.push_back(op->name);
}

std::string ProgramMutator::mutate(PhiloxSequence& r, SavedProgramFile& s) const {
  std::string log;
  for (uint64_t changes = 1 + r.below(r.below(3) ? 1 : 4); changes > 0 && !s.program.functions.empty();
       --changes) {
    Function& f = any(r, s.program.functions);
    Parts parts(f);
    const uint64_t what = r.below(std::size(kChanges) + 2);
    log += log.empty() ? "" : ", ";
    if (what < std::size(kChanges)) {
      log += kChanges[what].name;
      kChanges[what].change(r, s, f, parts);
    } else if (!parts.kernels.empty()) {
      Instruction& i = *any(r, parts.kernels);
      const bool op = what == std::size(kChanges);
      log += op ? "the op" : "the kernel";
      std::string& kernel = i.as<RunKernel>()->kernel;
      if (op) i.set_op(ops_[r.below(ops_.size())]);
      if (op && r.below(2))
        kernel = i.op() + (kernel.substr(std::min(kernel.find('.'), kernel.size())));
      else if (!op)
        kernel = r.below(2) ? i.op() + ".reference" : kernels_[r.below(kernels_.size())];
    }
  }
  if (r.below(4)) fit_values(s);
  return log;
}

}  // namespace cutset::fuzz
