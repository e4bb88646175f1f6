#include "runtime/verify/verify.h"

#include <cmath>
#include <cstdio>
#include <functional>

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

  Status after(const Place& place) override {
    const Instruction& i = *place.instruction;
    switch (i.kind) {
      case Instruction::Kind::kKernel:
        ++report_.ops;
        break;
      case Instruction::Kind::kRecv:
      case Instruction::Kind::kReduceWait:
      case Instruction::Kind::kInput:
      case Instruction::Kind::kCopy:
        ++report_.edges;
        break;
      default:
        return {};
    }
    for (int32_t b : i.pieces.empty() ? i.results : i.pieces) CUTSET_TRY(check(place, b));
    for (const FiniteCheck& f : function_.checks)
      if (i.kind == Instruction::Kind::kKernel && i.results[0] == f.flag) CUTSET_TRY(check_flag(place, f));
    return {};
  }

  // Compares, and notes the first element that is off.
  void compare(Difference where, const HostTensor& got, const HostTensor& want, double bound,
               const std::function<double()>& in_doubt) {
    double worst = 0;
    int64_t at = -1;
    auto find = [&] {
      worst = 0, at = -1;
      for (int64_t e = 0, n = want.type().elements(); e < n; ++e) {
        const double g = got.at(e), w = want.at(e);
        if (g == w || (std::isnan(g) && std::isnan(w))) continue;
        const double off = std::isfinite(g) && std::isfinite(w) ? std::abs(g - w) : HUGE_VAL;
        if (off > worst) worst = off, at = e;
      }
    };
    find();
    if (at >= 0 && worst > bound) bound = in_doubt();
    if (bound > 0 && worst / bound > report_.worst && worst <= bound)
      report_.worst = worst / bound,
      report_.worst_at = where.op + (where.label.empty() ? "" : " of " + where.label) + " on " + where.device;
    if (at < 0 || worst <= bound) return;
    where.element = at, where.got = got.at(at), where.want = want.at(at), where.bound = bound;
    report_.differences.push_back(where);
  }

  Difference at(const Place& place) const {
    Difference d;
    d.function = function_.name;
    d.device = function_.devices[place.device].device;
    d.op = place.instruction->op;
    d.label = place.instruction->label, d.source = place.instruction->source;
    d.queue = place.queue, d.apply = place.apply, d.instruction = place.instruction, d.step = step_;
    return d;
  }

 private:
  // A flag is of no value of the reference's: it must be that of the tensors which the program says it looks at.
  Status check_flag(const Place& place, const FiniteCheck& f) {
    const Instruction& i = *place.instruction;
    std::vector<HostTensor> operands;
    bool same = i.operands.size() == f.tensors.size();
    for (size_t n = 0; n < f.tensors.size(); ++n) {
      same = same && i.operands[n] == f.tensors[n].buffer;
      CUTSET_ASSIGN(HostTensor value, program_.read_buffer(function_.name, f.tensors[n].buffer));
      operands.push_back(std::move(value));
    }
    CUTSET_ASSIGN(const auto want, run_reference_loop(*find_op(i.op), i.attributes, operands));
    CUTSET_ASSIGN(const HostTensor got, program_.read_buffer(function_.name, f.flag));
    if (!same) {
      Difference where = at(place);
      where.label = "a check that does not look at what the updates use", where.got = NAN;
      report_.differences.push_back(where);
    }
    compare(at(place), got, want[0], 0, [] { return 0.0; });
    return {};
  }

  Status check(const Place& place, int32_t b) {
    const Instruction& i = *place.instruction;
    const Meaning& meaning = function_.buffers[static_cast<size_t>(b)].meaning;
    if (meaning.number == kNone) return {};
    CUTSET_ASSIGN(const HostTensor got, program_.read_buffer(function_.name, b));
    CUTSET_ASSIGN(const HostTensor want, expected_.of(meaning));
    Difference where = at(place);
    where.replica_first = meaning.first, where.replica_last = meaning.last;
    if (want.type() != got.type()) {
      where.op += " (" + to_string(got.type()) + " for " + to_string(want.type()) + ")";
      where.got = NAN;
      report_.differences.push_back(where);
      return {};
    }
    const bool moved = i.kind == Instruction::Kind::kRecv || i.kind == Instruction::Kind::kInput || i.op == "slice" ||
                       i.op == "concat";
    compare(where, got, want, moved ? 0 : expected_.bound(meaning, want, false),
            [&] { return moved ? 0 : expected_.bound(meaning, want, true); });
    return program_.write_buffer(function_.name, b, want);
  }

  Executable& program_;
  const Function& function_;
  Expected expected_;
  uint64_t step_;
  VerifyReport& report_;
};

}  // namespace

std::string Difference::text() const {
  std::string s = "'" + op + "'" + (label.empty() ? "" : " of " + label) + " on " + device;
  if (replica_last > replica_first + 1 || replica_first > 0)
    s += ", shards " + std::to_string(replica_first) + " to " + std::to_string(replica_last - 1);
  s += ", step " + std::to_string(step) + " of '" + function + "': element " + std::to_string(element) + " is " +
       number(got) + ", the reference's " + number(want) + ", which differ by more than " + number(bound);
  return source.empty() ? s : source + ": " + s;
}

Status Verifier::step(const std::string& name, std::span<const HostTensor* const> inputs) {
  ++steps_;
  // Both begin with the reference's variables.
  for (const std::string& v : reference_machine_.variable_names()) {
    CUTSET_ASSIGN(const HostTensor value, reference_machine_.read_variable(v));
    CUTSET_TRY(machine_.write_variable(v, value));
  }
  ReferenceValues values(reference_, name);
  const Feeds feeds{steps_, {}};
  CUTSET_TRY(values.run(inputs, feeds));
  const Function& function = *program_.program().find(name);
  Check check(program_, function, values, steps_, report_);
  CUTSET_ASSIGN(const auto outputs, program_.step_through(name, inputs, check, feeds));
  // What was made is the reference's by now, so what leaves the devices is moved, not computed.
  const auto exact = [] { return 0.0; };
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    auto want = values.outputs().find(function.outputs[i].name);
    if (want == values.outputs().end()) continue;
    Difference where;
    where.function = name, where.device = "host", where.op = "output " + function.outputs[i].name, where.step = steps_;
    ++report_.edges;
    if (outputs[i].type() == want->second.type()) check.compare(where, outputs[i], want->second, 0, exact);
  }
  for (const std::string& v : reference_machine_.variable_names()) {
    CUTSET_ASSIGN(const HostTensor want, reference_machine_.read_variable(v));
    for (size_t copy = 0; copy < machine_.copies(v); ++copy) {
      CUTSET_ASSIGN(const HostTensor got, machine_.read_variable(v, copy));
      Difference where;
      where.function = name, where.device = "replica " + std::to_string(copy + 1), where.op = "variable @" + v,
      where.step = steps_;
      check.compare(where, got, want, 0, exact);
    }
  }
  return {};
}

}  // namespace cutset
