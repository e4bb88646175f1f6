// SPDX-License-Identifier: Apache-2.0
#include "graph/config/plan.h"

#include <set>

#include "graph/schedule/schedule_text.h"

namespace cutset {
namespace {

constexpr const char *kOp = "op ID NAME DEVICE REPLICA", *kOpOfStage = "op ID NAME DEVICE REPLICA [STAGE]",
                     *kVariable = "variable NAME DEVICE...", *kSchedule = "schedule MICRO_BATCHES";

class Parser {
 public:
  explicit Parser(std::string_view text)
      : lines_(text, {.kind = "plan", .newest = 2, .page = "docs/plan-format.md"}) {}

  Result<Plan> run() {
    CUTSET_ASSIGN(version_, lines_.header());
    CUTSET_ASSIGN(bool more, lines_.next());
    if (!more) return lines_.at_end("the plan ends before its line 'program NAME'");
    if (lines_.word(0) != "program")
      return lines_.at(0, "a line 'program NAME' was expected, not " + shown_word(lines_.word(0)));
    CUTSET_TRY(lines_.expect_words(2, 2, "program NAME"));
    if (lines_.word(1).empty()) return lines_.at(1, "the name of the program is empty");
    plan_.program = lines_.word(1);
    for (;;) {
      CUTSET_ASSIGN(more, lines_.next());
      if (!more) break;
      CUTSET_TRY(line());
    }
    if (plan_.ops.empty() && plan_.homes.empty() && plan_.schedules.empty())
      return lines_.at_end("the plan ends without a line 'op', 'variable' or 'schedule'");
    return std::move(plan_);
  }

 private:
  Status line() {
    const std::string_view word = lines_.word(0);
    const bool is_op = word == "op";
    if (is_op || word == "variable") {
      if (plan_.ops.size() + plan_.homes.size() >= kPlanEntries)
        return lines_.at(0, "the plan has more than " + std::to_string(kPlanEntries) + " ops and variables");
      return is_op ? op() : variable();
    }
    if (version_ >= 2) {
      if (word == "schedule") return schedule();
      Schedule none, &current = plan_.schedules.empty() ? none : plan_.schedules.back().schedule;
      CUTSET_ASSIGN(const bool is_schedule_line, take_schedule_line(lines_, current));
      if (is_schedule_line && plan_.schedules.empty())
        return lines_.at(0, "the line belongs to a schedule, and no line '" + std::string(kSchedule) +
                                "' comes before it");
      if (is_schedule_line && word != "device" && ++actions_ > kPlanActions)
        return lines_.at(0, "the plan has more than " + std::to_string(kPlanActions) + " actions");
      if (is_schedule_line) return {};
    }
    return lines_.at(0, std::string("a line starts with 'op', 'variable'") +
                            (version_ >= 2 ? ", 'schedule', 'device' or an action" : "") + ", not with " +
                            shown_word(word));
  }

  Result<std::string> device(size_t i) const {
    if (lines_.word(i).empty()) return lines_.at(i, "the name of a device is empty");
    return std::string(lines_.word(i));
  }

  Status op() {
    CUTSET_TRY(lines_.expect_words(5, version_ >= 2 ? 6 : 5, version_ >= 2 ? kOpOfStage : kOp));
    Plan::Op op;
    CUTSET_ASSIGN(op.id, lines_.whole(1, "ID", 1, int64_t{1} << 53));
    op.op = lines_.word(2);
    CUTSET_ASSIGN(op.device, device(3));
    CUTSET_ASSIGN(op.replica, lines_.whole(4, "REPLICA", 0, kPlanReplicas - 1));
    if (lines_.size() > 5) {
      CUTSET_ASSIGN(op.stage, lines_.whole(5, "STAGE", 0, kScheduleCells - 1));
    }
    op.line = lines_.line();
    if (!ids_.insert({op.replica, op.id}).second)
      return lines_.at(1, "op " + std::to_string(op.id) + " of replica " + std::to_string(op.replica) +
                              " has a line already");
    plan_.ops.push_back(std::move(op));
    return {};
  }

  Status variable() {
    CUTSET_TRY(lines_.expect_words(3, 2 + static_cast<size_t>(kPlanReplicas), kVariable));
    Plan::Home home{std::string(lines_.word(1)), {}, lines_.line()};
    for (size_t i = 2; i < lines_.size(); ++i) {
      CUTSET_ASSIGN(std::string name, device(i));
      home.devices.push_back(std::move(name));
    }
    if (!variables_.insert(home.variable).second)
      return lines_.at(1, "the variable " + shown_word(home.variable) + " has a line already");
    plan_.homes.push_back(std::move(home));
    return {};
  }

  Status schedule() {
    CUTSET_TRY(lines_.expect_words(2, 2, kSchedule));
    Plan::PipelineSchedule& schedule = plan_.schedules.emplace_back();
    CUTSET_ASSIGN(schedule.micro_batches, lines_.whole(1, "MICRO_BATCHES", 1, kScheduleCells));
    schedule.line = lines_.line();
    if (!micro_batches_.insert(schedule.micro_batches).second)
      return lines_.at(1, "the schedule of " + std::to_string(schedule.micro_batches) +
                              " micro-batches has lines already");
    return {};
  }

  LineReader lines_;
  int64_t version_ = 0;
  size_t actions_ = 0;
  Plan plan_;
  std::set<std::pair<int64_t, int64_t>> ids_;
  std::set<std::string> variables_;
  std::set<int64_t> micro_batches_;
};

}  // namespace

Result<Plan> parse_plan(std::string_view text) { return Parser(text).run(); }

std::string plan_text(const Plan& plan) {
  std::string text = "cutset plan 2\nprogram " + written_word(plan.program) + "\n# " + kOpOfStage + "\n";
  for (const Plan::Op& o : plan.ops)
    text += "op " + std::to_string(o.id) + " " + written_word(o.op) + " " + written_word(o.device) + " " +
            std::to_string(o.replica) + (o.stage >= 0 ? " " + std::to_string(o.stage) : "") +
            written_comment(o.note) + "\n";
  if (!plan.homes.empty()) text += "# " + std::string(kVariable) + ", one device per copy\n";
  for (const Plan::Home& h : plan.homes) {
    text += "variable " + written_word(h.variable);
    for (const std::string& d : h.devices) text += " " + written_word(d);
    text += "\n";
  }
  if (!plan.schedules.empty())
    text += "# " + std::string(kSchedule) + ", and the actions of each device in their order\n";
  for (const Plan::PipelineSchedule& s : plan.schedules) {
    text += "schedule " + std::to_string(s.micro_batches) + "\n";
    for (const std::string& line : s.phases) text += written_comment(line).substr(2) + "\n";
    append_schedule_lines(s.schedule, s.notes, text);
  }
  return text;
}

}  // namespace cutset
