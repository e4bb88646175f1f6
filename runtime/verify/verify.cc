// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/verify.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "runtime/execute/finite.h"
#include "runtime/files/numbers.h"
#include "runtime/kernels/run_reference.h"
#include "runtime/verify/expected.h"

namespace cutset {
namespace {

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

class Check : public Observer {
 public:
  Check(Executable& program, const Function& function, const ReferenceValues& values, uint64_t step,
        VerifyReport& report)
      : program_(program), function_(function), expected_(function, values), step_(step), report_(report) {}

  Status after(const PlacedInstruction& place) override {
    const Instruction& i = *place.instruction;
    if (i.results().empty()) return {};
    ++(i.is<RunKernel>() ? report_.ops : report_.edges);
    for (BufferId b : i.pieces().empty() ? i.results() : i.pieces()) CUTSET_TRY(check(place, b));
    for (const FiniteCheck& f : function_.checks)
      if (const auto* c = i.as<RunKernel>(); c && c->results[0] == f.flag)
        CUTSET_TRY(check_flag(place, *c, f));
    return {};
  }

  Status stuck(const PlacedInstruction& place, const Failure& why) override {
    Difference d = at(place);
    d.what = why.what;
    report_.differences.push_back(d);
    report_.stuck = true;
    return why;
  }

  // Compares all elements, and records the element whose error is the largest in relation to its tolerance.
  // The full tolerance, `in_doubt`, takes longer to compute, so it is computed only if an error exceeds
  // `tolerance`.
  void compare(Difference where, const HostTensor& got, const HostTensor& want, Tolerance tolerance,
               const std::function<Tolerance()>& in_doubt) {
    if (!have_one_type(where, got, want)) return;
    const Numbers all_got(got), all_want(want);
    double worst = 0;  // the largest ratio of an error to its tolerance
    int64_t at = kNone;
    auto find = [&] {
      worst = 0;
      at = kNone;
      for (int64_t e = 0, n = want.type().elements(); e < n; ++e) {
        const double g = all_got[e], w = all_want[e];
        if (g == w || (std::isnan(g) && std::isnan(w))) continue;
        const double off = std::isfinite(g) && std::isfinite(w) ? std::abs(g - w) : HUGE_VAL,
                     may = tolerance.of(e);
        const double share = may > 0 ? off / may : HUGE_VAL;
        if (at == kNone || share > worst) {
          worst = share;
          at = e;
        }
      }
    };
    find();
    if (at != kNone && !(worst <= 1)) {
      tolerance = in_doubt();
      find();
    }
    if (at == kNone) return;
    if (worst <= 1) {
      if (worst > report_.worst) {
        report_.worst = worst;
        report_.worst_at =
            where.op + (where.layer.empty() ? "" : " of " + where.layer) + " on " + where.device;
      }
      return;
    }
    where.element = at;
    where.got = got.at(at);
    where.want = want.at(at);
    where.bound = tolerance.of(at);
    report_.differences.push_back(where);
  }

  // Checks that the copies of a variable, as the devices updated them, are bitwise equal.
  void compare_copies() {
    for (const auto& [variable, copies] : updated_)
      for (const auto& [device, copy] : copies) {
        const Variable& v = program_.program().variables[variable];
        const auto piece = [&](size_t at) {
          return std::find(v.homes.begin(), v.homes.end(), static_cast<int32_t>(at)) - v.homes.begin();
        };
        const auto& [first, value] = *std::find_if(copies.begin(), copies.end(), [&](const auto& other) {
          return v.axis == kNone || piece(other.first) % v.pieces == piece(device) % v.pieces;
        });
        if (copy.value == value.value) continue;
        Difference where = copy.where;
        where.op += " (copy of @" + program_.program().variables[variable].name +
                    ", compared with the copy on " + function_.devices[first].device + ")";
        compare(where, copy.value, value.value, {}, [] { return Tolerance(); });
      }
  }

  // Adds to the report a value for which a session would not commit the step, such as "result 'loss' is nan",
  // unless the report already has such a value.
  void note_not_finite(const std::string& value) {
    if (report_.not_finite.empty() && !value.empty())
      report_.not_finite = "step " + std::to_string(step_) + " of '" + function_.name + "': " + value;
  }

  Difference at(const PlacedInstruction& place) const {
    Difference d;
    d.function = function_.name;
    const DevicePlan& plan = function_.devices[place.device];
    d.device = plan.device;
    d.op = place.instruction->op();
    d.layer = place.instruction->layer();
    d.source = place.instruction->source();
    const Sequence& s = plan.queues[static_cast<int>(place.queue)];
    const auto& list = place.apply ? s.apply : s.compute;
    d.queue = place.queue;
    d.apply = place.apply;
    d.step = step_;
    d.instruction = static_cast<int32_t>(place.instruction - list.data());
    return d;
  }

 private:
  // Whether both values have the same type. Records a difference if the types differ.
  bool have_one_type(Difference where, const HostTensor& got, const HostTensor& want) {
    if (got.type() == want.type()) return true;
    where.what =
        "its result is " + to_string(got.type()) + ", and the reference's is " + to_string(want.type());
    report_.differences.push_back(where);
    return false;
  }

  // Checks a flag. The one-device program has no value for it, so it is computed again from the tensors of
  // the finite check.
  Status check_flag(const PlacedInstruction& place, const RunKernel& c, const FiniteCheck& f) {
    std::vector<HostTensor> operands;
    bool same = c.operands.size() == f.tensors.size();
    for (size_t n = 0; n < f.tensors.size(); ++n) {
      same = same && c.operands[n] == f.tensors[n].buffer;
      CUTSET_ASSIGN(HostTensor value, program_.read_buffer(function_.name, f.tensors[n].buffer));
      operands.push_back(std::move(value));
    }
    CUTSET_ASSIGN(const auto want,
                  run_reference_kernel(*find_op(place.instruction->op()), c.attributes, operands));
    CUTSET_ASSIGN(const HostTensor got, program_.read_buffer(function_.name, f.flag));
    if (!same) {
      Difference where = at(place);
      where.what = "its operands are not the tensors of the finite check";
      report_.differences.push_back(where);
    }
    compare(at(place), got, want[0], {}, [] { return Tolerance(); });
    for (size_t n = 0; n < f.tensors.size() && want[0].at(0) == 0; ++n) {
      const std::string element = first_non_finite(operands[n]);
      if (!element.empty()) note_not_finite(f.tensors[n].name + " is " + element);
    }
    return {};
  }

  Status check(const PlacedInstruction& place, BufferId b) {
    const Instruction& i = *place.instruction;
    const Buffer& buffer = function_.buffers[b];
    const ValueOrigin& origin = buffer.origin;
    if (origin.number == kNone) return {};
    CUTSET_ASSIGN(const HostTensor got, program_.read_buffer(function_.name, b));
    CUTSET_ASSIGN(const HostTensor want, expected_.of(origin));
    Difference where = at(place);
    where.first_shard = origin.first;
    where.last_shard = origin.last;
    if (!have_one_type(where, got, want)) return {};
    if (buffer.storage == Storage::kVariable)
      updated_[buffer.variable].insert_or_assign(place.device, Copy{got, where});
    const bool moved = i.is<Receive>() || i.is<ReadInput>() || i.op() == "slice" || i.op() == "concat";
    compare(where, got, want, moved ? Tolerance() : expected_.tolerance(origin, want, false),
            [&] { return moved ? Tolerance() : expected_.tolerance(origin, want, true); });
    return program_.write_buffer(function_.name, b, want);
  }

  struct Copy {
    HostTensor value;  // the value that the device computed
    Difference where;
  };

  Executable& program_;
  const Function& function_;
  Expected expected_;
  uint64_t step_;
  VerifyReport& report_;
  std::map<VariableId, std::map<size_t, Copy>> updated_;  // by variable and device
};

}  // namespace

std::string Difference::text() const {
  std::string s = "'" + op + "'" + (layer.empty() ? "" : " of " + layer) + " on " + device;
  if (last_shard > first_shard + 1 || first_shard > 0)
    s += ", shards " + std::to_string(first_shard) + " to " + std::to_string(last_shard - 1);
  s += ", step " + std::to_string(step) + " of '" + function + "': ";
  s += what.empty()
           ? "element " + std::to_string(element) + " is " + number(got) + " and the expected value is " +
                 number(want) + "; they differ by more than " + number(bound)
           : what;
  return source.empty() ? s : source + ": " + s;
}

Status Verifier::step(Executable& program, Executable& reference, const std::string& name,
                      std::span<const HostTensor* const> inputs) {
  ++steps_;
  // Both programs begin with the variables of the reference.
  for (const std::string& v : reference_executor_.variables().names()) {
    CUTSET_ASSIGN(const HostTensor value, reference_executor_.variables().read(v));
    CUTSET_TRY(executor_.variables().write(v, value));
  }
  ReferenceValues values(reference, name);
  const Feeds feeds{steps_, {}};
  CUTSET_TRY(values.run(inputs, feeds));
  const Function& function = *program.program().find(name);
  Check check(program, function, values, steps_, report_);
  const auto outputs = program.step_through(name, inputs, check, feeds);
  if (report_.stuck) return {};
  if (!outputs) return outputs.error();
  check.compare_copies();
  // All computed values have been replaced by the reference's, so outputs and variables must equal them
  // exactly.
  const auto exact = [] { return Tolerance(); };
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    auto want = values.outputs().find(function.outputs[i].name);
    const HostTensor& got = (*outputs)[i];
    Difference where;
    where.function = name;
    where.device = "host";
    where.op = "output " + function.outputs[i].name;
    where.step = steps_;
    ++report_.edges;
    if (want == values.outputs().end() || want->second.type() != got.type()) {
      where.what =
          "it is " + to_string(got.type()) + ", and the reference " +
          (want == values.outputs().end() ? "has no such output" : "has " + to_string(want->second.type()));
      report_.differences.push_back(where);
      continue;
    }
    check.compare(where, got, want->second, {}, exact);
  }
  check.note_not_finite(function.checks.empty() ? result_with_nan(function, *outputs)
                                                : refused_result(function, *outputs));
  for (const std::string& v : reference_executor_.variables().names()) {
    CUTSET_ASSIGN(const HostTensor want, reference_executor_.variables().read(v));
    for (size_t copy = 0; copy < executor_.variables().copies(v); ++copy) {
      CUTSET_ASSIGN(const HostTensor got, executor_.variables().read(v, copy));
      Difference where;
      where.function = name;
      where.device = "replica " + std::to_string(copy);
      where.op = "variable @" + v;
      where.step = steps_;
      check.compare(where, got, want, {}, exact);
    }
  }
  return {};
}

}  // namespace cutset
