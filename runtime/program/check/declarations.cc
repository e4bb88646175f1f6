// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/declarations.h"

#include <algorithm>
#include <set>

#include "ir/core/check_types.h"
#include "ir/core/names.h"
#include "ir/core/number_text.h"
#include "ir/core/sum_tree.h"
#include "runtime/program/check/check.h"
#include "runtime/program/variable_pieces.h"

namespace cutset::checks {
namespace {

class DeclarationCheck {
 public:
  DeclarationCheck(const Program& program, const Function& function) : program_(program), f_(function) {}

  Status run() {
    CUTSET_TRY(check_name(f_.name, "a function"));
    if (f_.devices.size() != program_.devices.size())
      return wrong(f_, "it has plans for " + counted(f_.devices.size(), "device") + ", and the program has " +
                           counted(program_.devices.size(), "device"));
    for (size_t d = 0; d < f_.devices.size(); ++d) CUTSET_TRY(plan(d));
    CUTSET_TRY(ports(f_.inputs, "an input"));
    CUTSET_TRY(ports(f_.outputs, "an output"));
    for (size_t s = 0; s < f_.shards.size(); ++s)
      if (f_.shards[s] < 0)
        return wrong(f_, "shard " + std::to_string(s) + " has " + std::to_string(f_.shards[s]) + " samples");
    for (size_t b = 0; b < f_.buffers.size(); ++b) CUTSET_TRY(buffer(b));
    CUTSET_TRY(transfers());
    for (size_t c = 0; c < f_.checks.size(); ++c) CUTSET_TRY(finite_check(c));
    return {};
  }

 private:
  const Buffer& at(BufferId b) const { return f_.buffers[b]; }
  const std::string& name_of_device(int32_t d) const { return f_.devices[static_cast<size_t>(d)].device; }
  static std::string name_of(BufferId b) { return "buffer " + std::to_string(b.value); }

  Status ports(const std::vector<Port>& list, const char* what) const {
    std::set<std::string> names;
    for (const Port& port : list) {
      CUTSET_TRY(check_name(port.name, what));
      CUTSET_TRY(check_type(port.type));
      CUTSET_TRY(fed(port, &list == &f_.outputs));
      CUTSET_TRY(batch(port, &list == &f_.outputs));
      if (!names.insert(port.name).second)
        return wrong(f_, std::string(what) + " '" + port.name + "' is listed twice");
    }
    return {};
  }

  // If the function computes each sample separately, checks that the rows of a port are divided into samples.
  Status batch(const Port& port, bool output) const {
    const std::string what = std::string(output ? "output" : "input") + " '" + port.name + "' ";
    if (f_.samples < 0) return wrong(f_, "it has " + std::to_string(f_.samples) + " samples");
    if (port.batch == kNone && (f_.samples == 0 || !output)) return {};
    if (f_.samples == 0)
      return wrong(f_, what + "has a dimension of samples, and the function has no number of them");
    if (port.batch < 0 || port.batch >= port.type.rank())
      return wrong(f_, what + "has no dimension " + std::to_string(port.batch));
    const int64_t rows = port.type.shape[static_cast<size_t>(port.batch)];
    if (rows < f_.samples || rows % f_.samples != 0)
      return wrong(
          f_, what + "has " + std::to_string(rows) + " rows of " + std::to_string(f_.samples) + " samples");
    return {};
  }

  // Checks that an input that the session feeds is a scalar of a type that the session can give.
  Status fed(const Port& port, bool output) const {
    const TensorType& t = port.type;
    if (port.feed == Feed::kCaller) return {};
    if (output)
      return wrong(f_, "output '" + port.name + "' is marked as fed by the session, and only inputs are fed");
    const std::string input = "input '" + port.name + "' ";
    if (port.feed == Feed::kStep && t != TensorType{DType::i64, {}})
      return wrong(
          f_, input + "is " + to_string(t) + ", and the session feeds the step number as a scalar of i64");
    if (port.feed == Feed::kHyperParameter && (t.rank() != 0 || !is_float(t.dtype)))
      return wrong(f_, input + "is " + to_string(t) +
                           ", and the session feeds hyper-parameters as scalars of a floating-point type");
    if (port.feed != Feed::kStep && port.feed != Feed::kHyperParameter)
      return wrong(f_, input + "has the unknown feed " + std::to_string(static_cast<int32_t>(port.feed)));
    return {};
  }

  Status finite_check(size_t number) const {
    const FiniteCheck& c = f_.checks[number];
    auto bad = [&](const std::string& what) {
      return wrong(f_, "finite check " + std::to_string(number) + ": " + what);
    };
    if (!within(c.device, f_.devices))
      return bad(out_of_range("device", c.device, f_.devices.size(), "the program"));
    auto on_device = [&](BufferId b) -> Status {
      if (!within(b.value, f_.buffers))
        return bad(out_of_range("buffer", b.value, f_.buffers.size(), "the function"));
      if (at(b).device != c.device)
        return bad(name_of(b) + " is on " + name_of_device(at(b).device) + ", and the check is on " +
                   name_of_device(c.device));
      return at(b).storage == Storage::kTypeOnly ? Status(bad(name_of(b) + " has a type and no value"))
                                                 : Status();
    };
    CUTSET_TRY(on_device(c.flag));
    if (at(c.flag).storage != Storage::kArena || at(c.flag).type != TensorType{DType::i1, {}})
      return bad("its flag, " + name_of(c.flag) + ", is not a scalar of i1 in the arena");
    for (const FiniteCheck::Tensor& t : c.tensors) {
      CUTSET_TRY(printable(t.name));
      CUTSET_TRY(on_device(t.buffer));
    }
    return {};
  }

  Status plan(size_t d) const {
    const DevicePlan& plan = f_.devices[d];
    if (plan.device != program_.devices[d])
      return wrong(f_, "plan " + std::to_string(d) + " is for '" + shown(plan.device) + "', and device " +
                           std::to_string(d) + " of the program is '" + program_.devices[d] + "'");
    if (plan.arena_bytes > uint64_t{1} << 48)
      return wrong(f_, "the arena of " + plan.device + " has " + std::to_string(plan.arena_bytes) +
                           " bytes; the limit is 2^48");
    size_t instructions = 0;
    for (const Sequence& s : plan.queues) instructions += s.compute.size() + s.apply.size();
    if (plan.events < 0 || static_cast<size_t>(plan.events) > instructions)
      return wrong(f_, plan.device + " has " + std::to_string(plan.events) + " events, and " +
                           counted(instructions, "instruction") + " to signal them");
    return {};
  }

  Failure wrong_buffer(size_t number, const std::string& what) const {
    return wrong(f_, "buffer " + std::to_string(number) + ": " + what);
  }

  Status buffer(size_t number) const {
    const Buffer& b = f_.buffers[number];
    const auto bad = [&](const std::string& what) { return wrong_buffer(number, what); };
    CUTSET_TRY(check_type(b.type));
    if (!within(b.device, f_.devices))
      return bad(out_of_range("device", b.device, f_.devices.size(), "the program"));
    const ValueOrigin& m = b.origin;
    if (m.number < kNone || m.first < 0 || m.last < m.first ||
        m.last > static_cast<int64_t>(f_.shards.size()) + 1 || m.factor < kNone || m.layout < kPartialSum ||
        m.layout >= kMaxRank)
      return bad("its origin (value " + std::to_string(m.number) + ", shards [" + std::to_string(m.first) +
                 ", " + std::to_string(m.last) + "), factor " + std::to_string(m.factor) + ", layout " +
                 std::to_string(m.layout) + ") is out of range; the function has " +
                 counted(f_.shards.size(), "shard"));
    if (!is_piece(m.piece)) return bad("the piece of its origin is out of range");
    if (b.view_of.is_set()) CUTSET_TRY(view(number));
    return storage(number);
  }

  // Checks that a view refers to an earlier buffer, so that chains of views are acyclic.
  Status view(size_t number) const {
    const Buffer& b = f_.buffers[number];
    if (b.view_of.value < 0 || b.view_of.index() >= number)
      return wrong_buffer(
          number, "it is a view of " + name_of(b.view_of) + ", and a view must refer to an earlier buffer");
    const Buffer& of = at(b.view_of);
    if (b.device != of.device || b.storage != of.storage || b.variable != of.variable ||
        b.constant != of.constant || b.offset != of.offset || b.type.dtype != of.type.dtype ||
        b.type.bytes() != of.type.bytes())
      return wrong_buffer(number, "it is a view of " + name_of(b.view_of) +
                                      " and differs from it in place, size or element type");
    return {};
  }

  Status storage(size_t number) const {
    const Buffer& b = f_.buffers[number];
    const std::string& device = name_of_device(b.device);
    const auto bad = [&](const std::string& what) { return wrong_buffer(number, what); };
    switch (b.storage) {
      case Storage::kArena: {
        const uint64_t arena = f_.devices[static_cast<size_t>(b.device)].arena_bytes;
        if (b.offset > arena || bytes_of(b.type) > arena - b.offset)
          return bad("it has " + std::to_string(b.type.bytes()) + " bytes at offset " +
                     std::to_string(b.offset) + " of the arena of " + device + ", which has " +
                     std::to_string(arena) + " bytes");
        if (b.offset % 16 != 0)
          return bad("its offset " + std::to_string(b.offset) + " is not a multiple of 16");
        return {};
      }
      case Storage::kVariable: {
        if (!within(b.variable.value, program_.variables))
          return bad(out_of_range("variable", b.variable.value, program_.variables.size(), "the program"));
        const Variable& v = program_.variables[b.variable];
        const auto home = std::find(v.homes.begin(), v.homes.end(), b.device);
        if (home == v.homes.end())
          return bad("it is variable '" + v.name + "' on " + device +
                     ", which is not one of the variable's homes");
        const TensorType piece = type_at_home(v, static_cast<size_t>(home - v.homes.begin()));
        if (piece.bytes() != b.type.bytes() || v.type.dtype != b.type.dtype)
          return bad("it is " + to_string(b.type) + ", and variable '" + v.name + "' on " + device + " is " +
                     to_string(piece));
        return {};
      }
      case Storage::kConstant: {
        if (!within(b.constant.value, program_.constants))
          return bad(out_of_range("constant", b.constant.value, program_.constants.size(), "the program"));
        const Constant& c = program_.constants[b.constant];
        if (c.type.bytes() != b.type.bytes() || c.type.dtype != b.type.dtype || c.device != b.device)
          return bad("it is " + to_string(b.type) + " on " + device + ", and constant " +
                     std::to_string(b.constant.value) + " is " + to_string(c.type) + " on " +
                     name_of_device(c.device));
        return {};
      }
      case Storage::kTypeOnly:
        return {};
      case Storage::kParameter:
        return bad("it is a parameter, and only the buffers of a role may be parameters");
    }
    return bad("its storage " + std::to_string(static_cast<int32_t>(b.storage)) + " is unknown");
  }

  Status transfers() {
    for (size_t n = 0; n < f_.channels.size(); ++n) {
      const Channel& c = f_.channels[n];
      for (int32_t device : {c.from, c.to})
        if (!within(device, f_.devices))
          return wrong(f_, "channel " + std::to_string(n) + ": " +
                               out_of_range("device", device, f_.devices.size(), "the program"));
      CUTSET_TRY(check_type(c.type));
      CUTSET_TRY(printable(c.tensor));
    }
    for (size_t n = 0; n < f_.collectives.size(); ++n) {
      const Collective& c = f_.collectives[n];
      const std::string name = "all_reduce " + std::to_string(n) + ": ";
      CUTSET_TRY(check_type(c.type));
      CUTSET_TRY(printable(c.tensor));
      if (auto tree = additions_of(c.ranges()); !tree) return wrong(f_, name + tree.error().what);
      for (const Collective::Partial& part : c.partials)
        if (!within(part.device, f_.devices))
          return wrong(f_, name + out_of_range("device", part.device, f_.devices.size(), "the program"));
    }
    return {};
  }

  const Program& program_;
  const Function& f_;
};

}  // namespace

Status check_declarations(const Program& p, const Function& f) { return DeclarationCheck(p, f).run(); }

}  // namespace cutset::checks
