// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/roles.h"

#include "ir/core/check_types.h"
#include "ir/core/number_text.h"
#include "ir/core/op/op_info.h"
#include "runtime/program/check/check.h"
#include "runtime/program/order/expand.h"
#include "runtime/program/variable_pieces.h"

namespace cutset::checks {
namespace {

// An expanded instruction with its buffers takes about 500 bytes.
constexpr uint64_t kMostExpanded = uint64_t{1} << 22;
// Rows are indices of elements in i64, and a tensor has at most 2^40 elements.
constexpr int64_t kMostSamples = int64_t{1} << 40;

class RoleCheck {
 public:
  explicit RoleCheck(const Function& function) : f_(function), called_(function.roles.size(), false) {}

  Status run() {
    CUTSET_TRY(samples());
    CUTSET_TRY(frames());
    for (size_t r = 0; r < f_.roles.size(); ++r)
      if (Status status = role(f_.roles[r]); !status.ok())
        return wrong(f_, "role " + std::to_string(r) + ": " + status.error().what);
    // The limit comes before the check of the calls, which takes time in proportion to the expansion.
    if (const uint64_t size = expanded_size(f_); size > kMostExpanded)
      return wrong(f_, "its calls of roles expand to " + std::to_string(size) +
                           " instructions and buffers; the limit is " + std::to_string(kMostExpanded));
    for (size_t d = 0; d < f_.devices.size(); ++d)
      CUTSET_TRY(for_each_instruction(
          f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
            const auto* c = i.as<CallRole>();
            if (!c) return {};
            Status status = static_cast<Queue>(q) == Queue::kCompute && !apply
                                ? call(*c, d)
                                : bad("a role is called outside of the compute list of the compute queue");
            return status.ok() ? status : wrong(f_, place(f_, d, q, apply, n) + ": " + status.error().what);
          }));
    for (size_t r = 0; r < called_.size(); ++r)
      if (!called_[r]) return wrong(f_, "role " + std::to_string(r) + " is called by no instruction");
    return {};
  }

 private:
  static Failure bad(const std::string& what) { return invalid_data(what); }

  Status samples() const {
    if (f_.roles.empty()) return {};
    int64_t all = 0;
    for (int64_t samples : f_.shards) {
      if (samples < 0 || samples > kMostSamples - all)
        return wrong(f_, "the numbers of samples of its shards are out of range");
      all += samples;
    }
    return {};
  }

  Status frames() const {
    std::vector<bool> known(f_.buffers.size(), false);
    for (size_t n = 0; n < f_.frames.size(); ++n)
      for (BufferId b : f_.frames[n].buffers) {
        const auto wrong_frame = [&](const std::string& what) {
          return wrong(f_, "frame " + std::to_string(n) + ": " + what);
        };
        if (!within(b.value, f_.buffers))
          return wrong_frame(out_of_range("buffer", b.value, f_.buffers.size(), "the function"));
        if (known[b.index()])
          return wrong_frame("buffer " + std::to_string(b.value) + " is in two frames, or twice in one");
        known[b.index()] = true;
        if (Status type = check_type(f_.buffers[b].type); !type.ok()) return wrong_frame(type.error().what);
      }
    return {};
  }

  Status role(const Role& r) const {
    CUTSET_TRY(printable(r.name));
    if (!within(r.device, f_.devices))
      return bad(out_of_range("device", r.device, f_.devices.size(), "the program"));
    if (!within(r.shard, f_.shards))
      return bad(out_of_range("shard", r.shard, f_.shards.size(), "the function"));
    for (size_t b = 0; b < r.buffers.size(); ++b)
      if (Status status = buffer(r, b); !status.ok())
        return bad("buffer " + std::to_string(b) + " of the role: " + status.error().what);
    CUTSET_TRY(parameters(r));
    for (size_t n = 0; n < r.body.size(); ++n)
      if (Status status = instruction(r, r.body[n]); !status.ok())
        return bad("instruction " + std::to_string(n) + " of the role: " + status.error().what);
    return {};
  }

  // Checks a buffer of a role. The check of the expanded function covers what this check leaves out, because
  // a role without a call is refused.
  Status buffer(const Role& r, size_t number) const {
    const Buffer& b = r.buffers[number];
    CUTSET_TRY(check_type(b.type));
    if (b.device != r.device)
      return bad("it is on device " + std::to_string(b.device) + ", and the role on another one");
    const int64_t shards = static_cast<int64_t>(f_.shards.size());
    if (b.origin.first < 0 || b.origin.last < b.origin.first || b.origin.last > shards + 1)
      return bad("its origin is out of range");
    if (!is_piece(b.origin.piece)) return bad("the piece of its origin is out of range");
    if (!b.view_of.is_set()) return {};
    if (b.view_of.value < 0 || b.view_of.index() >= number)
      return bad("it is a view of buffer " + std::to_string(b.view_of.value) +
                 ", and a view must refer to an earlier buffer");
    if (b.storage != r.buffers[b.view_of].storage)
      return bad("it is a view of buffer " + std::to_string(b.view_of.value) +
                 " and differs from it in storage");
    return {};
  }

  static Status parameters(const Role& r) {
    std::vector<bool> given(r.buffers.size(), false);
    for (const auto& argument : r.parameters)
      for (BufferId p : argument) {
        if (!within(p.value, r.buffers))
          return bad(out_of_range("buffer", p.value, r.buffers.size(), "the role"));
        const std::string name = "buffer " + std::to_string(p.value) + " of the role";
        if (r.buffers[p].storage != Storage::kParameter || r.buffers[p].view_of.is_set())
          return bad(name + " is listed as a parameter and is none");
        if (given[p.index()]) return bad(name + " is listed as two parameters");
        given[p.index()] = true;
      }
    for (size_t b = 0; b < r.buffers.size(); ++b)
      if (r.buffers[b].storage == Storage::kParameter && !r.buffers[b].view_of.is_set() && !given[b])
        return bad("buffer " + std::to_string(b) + " of the role is a parameter that no call gives");
    return {};
  }

  Status instruction(const Role& r, const Instruction& i) const {
    const auto in_range = [&](BufferId b) -> Status {
      return within(b.value, r.buffers) ? Status()
                                        : bad(out_of_range("buffer", b.value, r.buffers.size(), "the role"));
    };
    for (const auto list : {i.operands(), i.results()})
      for (BufferId b : list) CUTSET_TRY(in_range(b));
    if (const auto* kernel = i.as<RunKernel>()) {
      CUTSET_TRY(rows_of_slice(i, *kernel));
      return positional(i, *kernel, r);
    }
    if (i.is<CopyBuffer>()) return {};
    return bad(std::string("a role has no command of the kind '") + name_of(i.command) + "'");
  }

  // Checks that the first row of a slice does not overflow. A call moves it by the rows of all samples at
  // most. The check of the expanded instructions compares the rows with the rows of the operand.
  static Status rows_of_slice(const Instruction& i, const RunKernel& c) {
    if (i.op() != "slice") return {};
    for (const auto& [name, value] : c.attributes) {
      if (name != "rows_per_sample" && name != "start") continue;
      const int64_t most = INT64_MAX / 2 / (name == "start" ? 1 : kMostSamples);
      const auto* number = std::get_if<int64_t>(&value);
      if (!number || *number < 0 || *number > most)
        return bad("'" + i.op() + "' has an attribute " + name + " that is out of range");
    }
    return {};
  }

  // Checks that the index of the first element does not overflow when the elements of all shards are added.
  Status positional(const Instruction& i, const RunKernel& c, const Role& r) const {
    const OpInfo* op = find_op(i.op());
    if (!op || !op->positional) return {};
    if (c.results.empty() || r.buffers[c.results[0]].type.rank() == 0)
      return bad("'" + i.op() + "' has no rows");
    for (const auto& [name, value] : c.attributes)
      if (const auto* first = std::get_if<int64_t>(&value);
          name == "first_element" && (!first || *first < 0 || *first > INT64_MAX / 2))
        return bad("'" + i.op() + "' has an attribute first_element that is out of range");
    const TensorType& type = r.buffers[c.results[0]].type;
    if (const int64_t samples = f_.shards[static_cast<size_t>(r.shard)];
        samples > 0 && type.elements() / samples > (INT64_MAX / 2) / kMostSamples)
      return bad("'" + i.op() + "' has more elements per sample than an index can count");
    return {};
  }

  Status call(const CallRole& c, size_t device) {
    if (!within(c.role.value, f_.roles))
      return bad(out_of_range("role", c.role.value, f_.roles.size(), "the function"));
    const Role& r = f_.roles[c.role];
    called_[c.role.index()] = true;
    if (r.device != static_cast<int32_t>(device))
      return bad("role " + std::to_string(c.role.value) + " belongs to " +
                 f_.devices[static_cast<size_t>(r.device)].device);
    if (!within(c.shard, f_.shards))
      return bad(out_of_range("shard", c.shard, f_.shards.size(), "the function"));
    if (c.end != kNone && (c.end <= c.shard || c.end > static_cast<int64_t>(f_.shards.size())))
      return bad("it adds the shards from " + std::to_string(c.shard) + " to " + std::to_string(c.end) +
                 ", and the function has " + counted(f_.shards.size(), "shard"));
    if (c.arguments.size() != r.parameters.size())
      return bad("it gives " + counted(c.arguments.size(), "frame") + " to a role with " +
                 counted(r.parameters.size(), "argument"));
    for (size_t a = 0; a < c.arguments.size(); ++a) {
      if (!within(c.arguments[a].value, f_.frames))
        return bad(out_of_range("frame", c.arguments[a].value, f_.frames.size(), "the function"));
      const auto &buffers = f_.frames[c.arguments[a]].buffers, &parameters = r.parameters[a];
      if (buffers.size() != parameters.size())
        return bad("frame " + std::to_string(c.arguments[a].value) + " has " +
                   counted(buffers.size(), "buffer") + ", and argument " + std::to_string(a) +
                   " of the role has " + counted(parameters.size(), "parameter"));
      for (size_t e = 0; e < buffers.size(); ++e)
        if (const TensorType &buffer_type = f_.buffers[buffers[e]].type,
            &type = r.buffers[parameters[e]].type;
            buffer_type != type)
          return bad("it gives a buffer of type " + to_string(buffer_type) + " to parameter " +
                     std::to_string(e) + " of argument " + std::to_string(a) + ", which has the type " +
                     to_string(type));
    }
    for (const Buffer& b : r.buffers)
      if (b.origin.last + (c.shard - r.shard) > static_cast<int64_t>(f_.shards.size()) + 1 &&
          b.origin.number != kNone && b.origin.layout != kWholeValue)
        return bad("a value of its role would belong to a shard that does not exist");
    return {};
  }

  const Function& f_;
  std::vector<bool> called_;
};

}  // namespace

Status check_roles(const Function& function) { return RoleCheck(function).run(); }

}  // namespace cutset::checks
