#include "runtime/verify/mutate.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "ir/core/op_info.h"
#include "ir/core/rows.h"
#include "ir/core/tensor_view.h"

namespace cutset {
namespace {

using List = std::vector<Instruction>;

// An instruction with the parts of the program that contain it.
struct At {
  Program& program;
  Function& function;
  DevicePlan& plan;
  int32_t device;
  const DeviceDescription& description;
  List& list;
  size_t index;
  Instruction& instruction() const { return list[index]; }
  RunKernel* kernel() const { return list[index].as<RunKernel>(); }
  Buffer& buffer(BufferId b) const { return function.buffers[b]; }
};

// Returns the kernel for the op `name` with these attributes on the operands and results of the instruction, or null if
// the types do not fit or the device has no kernel that manages with the scratch memory of the instruction.
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
  if (!choice) return nullptr;
  auto scratch = at.description.scratch(choice->kernel, *op, flat->data(), in, out);
  const BufferId held = at.kernel()->scratch;
  const auto planned = held.is_set() ? static_cast<uint64_t>(at.buffer(held).type.bytes()) : 0;
  return scratch && *scratch <= planned ? choice->kernel : nullptr;
}

std::vector<std::string> siblings(const At& at) {
  std::vector<std::string> names;
  const OpInfo* mine = find_op(at.instruction().op);
  for (const OpInfo* op : all_ops())
    if (op != mine && std::string(op->family) == mine->family && op->operands == mine->operands &&
        kernel_for(at, op->name, at.kernel()->attributes))
      names.push_back(op->name);
  return names;
}

// Returns the attributes with one axis changed, two axes of a permutation swapped, or a `transpose` flag inverted, as
// far as the types of the instruction allow it.
std::vector<Attributes> other_axes(const At& at) {
  const Attributes& given = at.kernel()->attributes;
  const OpInfo* op = find_op(at.instruction().op);
  auto all = given;
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
        if (changed[a].second = v; changed[a].second != all[a].second && v - rank != std::get<int64_t>(all[a].second))
          keep(changed);
    } else if (name == "axes" || name == "permutation") {
      const IntList numbers = std::get<IntList>(all[a].second);
      for (size_t i = 0; i < numbers.size(); ++i) {
        for (size_t j = i + 1; j < numbers.size() && name == "permutation"; ++j) {
          auto swapped = numbers;
          std::swap(swapped[i], swapped[j]);
          changed[a].second = swapped, keep(changed);
        }
        for (int64_t v = 0; v < rank && name == "axes"; ++v) {
          auto other = numbers;
          other[i] = v;
          if (v != numbers[i] && v - rank != numbers[i]) changed[a].second = other, keep(changed);
        }
      }
    } else if (name.rfind("transpose", 0) == 0) {
      changed[a].second = !std::get<bool>(all[a].second), keep(changed);
    }
  }
  return list;
}

// Returns the buffers that a stale read could read instead of `operand`: those of the same type and another value, or of
// the same value of other shards, that are written earlier in the list or hold a variable.
std::vector<BufferId> older(const At& at, BufferId operand) {
  std::vector<char> written(at.function.buffers.size(), 0);
  for (size_t i = 0; i < at.index; ++i)
    for (BufferId b : at.list[i].results()) written[b.index()] = 1;
  const Buffer& wanted = at.buffer(operand);
  std::vector<BufferId> list;
  for (size_t b = 0; b < at.function.buffers.size(); ++b) {
    const Buffer& other = at.function.buffers[b];
    if (other.device != at.device || other.type != wanted.type || other.origin.number == kNone ||
        (other.origin.number == wanted.origin.number && other.origin.first == wanted.origin.first))
      continue;
    const bool other_variable = other.storage == Storage::kVariable &&
                                (wanted.storage != Storage::kVariable || other.variable != wanted.variable);
    if (other_variable || (other.storage == Storage::kArena && written[b])) list.push_back(BufferId(b));
  }
  return list;
}

// Whether the buffer is a constant scalar above 1. Such a constant is the number of samples that a mean divides by.
bool is_count(const At& at, BufferId b) {
  const Buffer& buffer = at.buffer(b);
  if (buffer.storage != Storage::kConstant || buffer.type.rank() != 0 || buffer.origin.number == kNone) return false;
  const auto& bytes = at.program.constants[buffer.constant].bytes;
  double value = 0;
  (void)dispatch_float(buffer.type.dtype, [&]<class T>(T v) {
    std::memcpy(&v, bytes.data(), sizeof v);
    value = v;
  });
  return value > 1;
}
bool updates(const Instruction& i) { return i.is<RunKernel>() && find_op(i.op)->updates > 0; }

// Returns the command that starts the collective of `sum` on the same device, or null. Sets `index` to its index.
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

std::vector<VariableId> alike_variables(const At& at, VariableId id) {
  std::vector<VariableId> list;
  const Variable& mine = at.program.variables[id];
  for (size_t v = 0; v < at.program.variables.size(); ++v)
    if (VariableId(v) != id && at.program.variables[v].type == mine.type &&
        std::count(at.program.variables[v].homes.begin(), at.program.variables[v].homes.end(), at.device))
      list.push_back(VariableId(v));
  return list;
}
VariableId variable_read(const At& at) {
  for (BufferId b : at.kernel()->operands)
    if (at.buffer(b).storage == Storage::kVariable) return at.buffer(b).variable;
  return {};
}

size_t ways(const At& at, Mutation m) {
  const Instruction& i = at.instruction();
  const bool kernel = i.is<RunKernel>();
  switch (m) {
    case Mutation::kDroppedCount:
      return (kernel || i.is<StartAllReduce>()) &&
             std::any_of(i.operands().begin(), i.operands().end(), [&](BufferId b) { return is_count(at, b); });
    case Mutation::kMissingAllReduce: {
      const auto* sum = i.as<AwaitAllReduce>();
      const auto* part = sum ? own_part(at, *sum) : nullptr;
      return part && at.buffer(part->from).type == at.buffer(sum->to).type;
    }
    case Mutation::kSwappedRecv:
      return i.is<Receive>() || i.is<AwaitAllReduce>() ? alike_arrivals(at).size() : 0;
    case Mutation::kStaleRead: {
      size_t n = 0;
      if (kernel)
        for (BufferId b : i.operands())
          if (at.buffer(b).storage != Storage::kTypeOnly) n += older(at, b).size();
      return n;
    }
    case Mutation::kWrongShare: {
      const auto* in = i.as<ReadInput>();
      const auto* out = i.as<WriteOutput>();
      if (!in && !out) return 0;
      const TensorType& whole = in ? at.function.inputs[in->input].type : at.function.outputs[out->output].type;
      const TensorType& mine = at.buffer(in ? in->to : out->from).type;
      return row_bytes(mine) == 0 || mine.bytes() >= whole.bytes()
                 ? 0
                 : static_cast<size_t>(whole.shape[0] - mine.shape[0]);
    }
    case Mutation::kLostDivision:
      return kernel && i.op == "div" && at.buffer(i.operands()[1]).type.rank() == 0 &&
             at.buffer(i.operands()[0]).type == at.buffer(i.results()[0]).type;
    case Mutation::kWrongKernel:
      return kernel ? siblings(at).size() : 0;
    case Mutation::kExchangedVariables:
      return kernel && variable_read(at).is_set() ? alike_variables(at, variable_read(at)).size() : 0;
    case Mutation::kWrongAxis:
      return kernel ? other_axes(at).size() : 0;
    case Mutation::kUpdateTwice:
    case Mutation::kDroppedUpdate:
      return updates(i);
  }
  return 0;
}

template <class F>
void for_each_instruction(Program& p, const DeviceList& devices, F&& f) {
  for (size_t fn = 0; fn < p.functions.size(); ++fn)
    for (size_t d = 0; d < p.functions[fn].devices.size(); ++d)
      for (int32_t q = 0; q < kQueues; ++q)
        for (bool apply : {false, true}) {
          Sequence& s = p.functions[fn].devices[d].queues[q];
          List& list = apply ? s.apply : s.compute;
          for (size_t i = 0; i < list.size(); ++i)
            f(MutationSite{fn, d, q, apply, i, 0},
              At{p, p.functions[fn], p.functions[fn].devices[d], static_cast<int32_t>(d), *devices[d], list, i});
        }
}

}  // namespace

std::vector<MutationSite> mutation_sites(const Program& program, Mutation mutation, const DeviceList& devices) {
  std::vector<MutationSite> sites;
  Program copy = program;
  for_each_instruction(copy, devices, [&](MutationSite site, const At& at) {
    const size_t n = ways(at, mutation);
    for (site.choice = 0; static_cast<size_t>(site.choice) < n; ++site.choice) sites.push_back(site);
  });
  return sites;
}

// Whether a buffer is one of `these`, a view of the same buffer, or the same variable. Equal offsets do not count,
// because the memory of an arena is reused.
static bool lies_in(const Function& f, BufferId buffer, const std::set<BufferId>& these) {
  auto root = [&](BufferId b) {
    while (f.buffers[b].view_of.is_set()) b = f.buffers[b].view_of;
    return b;
  };
  const BufferId mine = root(buffer);
  const Buffer& x = f.buffers[mine];
  return std::any_of(these.begin(), these.end(), [&](BufferId b) {
    const BufferId its = root(b);
    const Buffer& y = f.buffers[its];
    return mine == its || (x.storage == Storage::kVariable && y.storage == Storage::kVariable && x.device == y.device &&
                           x.variable == y.variable);
  });
}

Mutant mutate(Program program, Mutation mutation, const MutationSite& site, const DeviceList& devices) {
  Mutant made{std::move(program), "", "", "", {}, {}};
  Function& f = made.program.functions[site.function];
  DevicePlan& plan = f.devices[site.device];
  Sequence& s = plan.queues[site.queue];
  List& list = site.apply ? s.apply : s.compute;
  const At at{made.program, f, plan, static_cast<int32_t>(site.device), *devices[site.device], list, site.instruction};
  Instruction& i = at.instruction();
  const auto choice = static_cast<size_t>(site.choice);
  made.op = i.op, made.device = plan.device;
  made.description = std::string(name_of(mutation)) + " at '" + i.op + "'" + (i.layer.empty() ? "" : " of " + i.layer) +
                     " on " + plan.device + " (" + f.name + (site.apply ? ", apply" : "") + ", instruction " +
                     std::to_string(site.instruction) + ", choice " + std::to_string(site.choice) + ")";
  if (const auto* c = i.as<WriteOutput>()) made.results.push_back("output " + f.outputs[c->output].name);
  for (BufferId b : i.results())  // the effect of a dropped update is seen only in the variable
    if (mutation == Mutation::kDroppedUpdate && at.buffer(b).storage == Storage::kVariable)
      made.results.push_back("variable @" + made.program.variables[at.buffer(b).variable].name);
  std::set<BufferId> touched(i.results().begin(), i.results().end());
  touched.insert(i.pieces().begin(), i.pieces().end());
  size_t changed = 1;       // how many instructions, from the site on, the mutation has changed or inserted
  std::set<size_t> others;  // other instructions of the same list that it has changed
  const CollectiveId started = i.is<StartAllReduce>() ? i.as<StartAllReduce>()->collective : CollectiveId();
  switch (mutation) {
    case Mutation::kDroppedCount:
      for (BufferId& b : i.operands())
        if (is_count(at, b)) {
          const TensorType type = at.buffer(b).type;
          Constant one{type, std::vector<unsigned char>(static_cast<size_t>(type.bytes())), at.device};
          (void)dispatch_float(type.dtype, [&]<class T>(T v) {
            v = 1;
            std::memcpy(one.bytes.data(), &v, sizeof v);
          });
          Buffer buffer = at.buffer(b);
          buffer.constant = made.program.constants.next();
          made.program.constants.push_back(std::move(one));
          b = f.buffers.next();
          f.buffers.push_back(buffer);
          break;
        }
      break;
    case Mutation::kMissingAllReduce: {
      size_t start = 0;
      const auto& sum = *i.as<AwaitAllReduce>();
      const StartAllReduce* part = own_part(at, sum, &start);
      const List& out = plan.queues[static_cast<int>(Queue::kOut)].compute;
      i.command = CopyBuffer{part->from, sum.to};
      List with{i};
      if (start > 0 && out[start - 1].is<AwaitEvent>()) with.insert(with.begin(), out[start - 1]);
      const auto place = list.erase(list.begin() + static_cast<int64_t>(site.instruction));
      list.insert(place, with.begin(), with.end());
      changed = with.size();
      break;
    }
    case Mutation::kSwappedRecv: {
      const size_t other = alike_arrivals(at)[choice];
      Instruction& with = list[other];
      if (i.is<Receive>())
        std::swap(i.as<Receive>()->channel, with.as<Receive>()->channel);
      else
        std::swap(i.as<AwaitAllReduce>()->collective, with.as<AwaitAllReduce>()->collective);
      touched.insert(with.results().begin(), with.results().end());
      others.insert(other);
      break;
    }
    case Mutation::kStaleRead: {
      size_t left = choice;
      for (BufferId& b : i.operands()) {
        if (at.buffer(b).storage == Storage::kTypeOnly) continue;
        const auto candidates = older(at, b);
        if (left < candidates.size()) {
          b = candidates[left];
          break;
        }
        left -= candidates.size();
      }
      break;
    }
    case Mutation::kWrongShare: {
      uint64_t& offset = i.is<ReadInput>() ? i.as<ReadInput>()->offset : i.as<WriteOutput>()->offset;
      const TensorType& mine = at.buffer(i.is<ReadInput>() ? i.results()[0] : i.operands()[0]).type;
      const auto row = static_cast<uint64_t>(row_bytes(mine));
      offset = (choice >= offset / row ? choice + 1 : choice) * row;
      break;
    }
    case Mutation::kLostDivision:
      i.command = CopyBuffer{i.operands()[0], i.results()[0]};
      break;
    case Mutation::kWrongKernel:
      i.op = made.op = siblings(at)[choice];
      at.kernel()->kernel = kernel_for(at, i.op, at.kernel()->attributes)->name;
      break;
    case Mutation::kExchangedVariables: {
      const VariableId a = variable_read(at), b = alike_variables(at, a)[choice];
      for (size_t n = 0; n < f.buffers.size(); ++n)
        if (Buffer& buffer = f.buffers[n]; buffer.device == at.device && buffer.storage == Storage::kVariable &&
                                           (buffer.variable == a || buffer.variable == b))
          buffer.variable = buffer.variable == a ? b : a, touched.insert(BufferId(n));
      break;
    }
    case Mutation::kWrongAxis:
      at.kernel()->attributes = other_axes(at)[choice];
      at.kernel()->kernel = kernel_for(at, i.op, at.kernel()->attributes)->name;
      break;
    case Mutation::kUpdateTwice:
      list.insert(list.begin() + static_cast<int64_t>(site.instruction), Instruction(i));
      changed = 2;
      break;
    case Mutation::kDroppedUpdate:
      list.erase(list.begin() + static_cast<int64_t>(site.instruction));
      changed = 0;
      break;
  }
  // Find the instructions that produce the wrong value and those that read it.
  const bool variables = mutation == Mutation::kExchangedVariables;
  for_each_instruction(made.program, devices, [&](const MutationSite& other, const At& reader) {
    if (other.function != site.function) return;
    const Instruction& r = reader.instruction();
    const bool same_list = other.device == site.device && other.queue == site.queue && other.apply == site.apply;
    bool shows =
        same_list && ((other.instruction >= site.instruction && other.instruction < site.instruction + changed) ||
                      others.contains(other.instruction));
    if (const auto* c = r.as<AwaitAllReduce>()) shows |= started.is_set() && c->collective == started;
    for (BufferId b : r.operands()) shows |= lies_in(f, b, touched);
    for (BufferId b : r.results()) shows |= variables && lies_in(f, b, touched);
    if (shows) made.shows.push_back(other);
  });
  return made;
}

bool names(const Difference& d, const Mutant& mutant) {
  if (d.instruction == kNone)
    return std::find(mutant.results.begin(), mutant.results.end(), d.op) != mutant.results.end();
  return std::any_of(mutant.shows.begin(), mutant.shows.end(), [&](const MutationSite& s) {
    const Function& f = mutant.program.functions[s.function];
    return d.function == f.name && d.device == f.devices[s.device].device && static_cast<int32_t>(d.queue) == s.queue &&
           d.apply == s.apply && d.instruction == static_cast<int32_t>(s.instruction);
  });
}

}  // namespace cutset
