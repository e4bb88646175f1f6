// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/schedule_text.h"

#include "graph/schedule/pipeline.h"

namespace cutset {
namespace {

constexpr ActionKind kKinds[] = {ActionKind::kForward, ActionKind::kBackward, ActionKind::kBackwardInput,
                                 ActionKind::kBackwardWeight};

Status take_device(const LineReader& lines, Schedule& schedule) {
  CUTSET_TRY(lines.expect_words(2, 2, "device NUMBER"));
  // The devices are listed in their order, so no text can ask for more of them than it has lines.
  const auto expected = static_cast<int64_t>(schedule.devices.size());
  CUTSET_ASSIGN(const int64_t number, lines.whole(1, "NUMBER", 0, kScheduleCells - 1));
  if (number != expected)
    return lines.at(1, "device " + std::to_string(number) + " is listed where device " +
                           std::to_string(expected) + " is expected; the devices are listed in their order");
  schedule.devices.emplace_back();
  return {};
}

Result<Action> parse_action(const LineReader& lines, ActionKind kind) {
  CUTSET_TRY(lines.expect_words(3, 3, std::string(name_of(kind)) + " STAGE MICRO_BATCH"));
  CUTSET_ASSIGN(const int64_t stage, lines.whole(1, "STAGE", 0, kScheduleCells - 1));
  CUTSET_ASSIGN(const int64_t micro_batch, lines.whole(2, "MICRO_BATCH", 0, kScheduleCells - 1));
  return Action{kind, static_cast<int32_t>(stage), static_cast<int32_t>(micro_batch)};
}

}  // namespace

Result<bool> take_schedule_line(const LineReader& lines, Schedule& schedule) {
  if (lines.word(0) == "device") {
    CUTSET_TRY(take_device(lines, schedule));
    return true;
  }
  for (const ActionKind kind : kKinds) {
    if (lines.word(0) != name_of(kind)) continue;
    CUTSET_ASSIGN(const Action action, parse_action(lines, kind));
    if (schedule.devices.empty()) return lines.at(0, "an action is listed before the first line 'device 0'");
    schedule.devices.back().push_back(action);
    return true;
  }
  return false;
}

Result<Schedule> parse_schedule(std::string_view text) {
  LineReader lines(text, {.kind = "schedule"});
  CUTSET_TRY(lines.header());
  Schedule schedule;
  for (;;) {
    CUTSET_ASSIGN(const bool more, lines.next());
    if (!more) break;
    CUTSET_ASSIGN(const bool is_schedule_line, take_schedule_line(lines, schedule));
    if (is_schedule_line) continue;
    std::string words = "'device'";
    for (const ActionKind kind : kKinds) words += ", '" + std::string(name_of(kind)) + "'";
    return lines.at(0, "a line starts with " + words + ", not with " + shown_word(lines.word(0)));
  }
  if (schedule.devices.empty()) return lines.at_end("the text ends without a line 'device 0'");
  return schedule;
}

void append_schedule_lines(const Schedule& schedule, const std::vector<std::string>& notes,
                           std::string& text) {
  for (size_t d = 0; d < schedule.devices.size(); ++d) {
    text += "device " + std::to_string(d) + (d < notes.size() ? written_comment(notes[d]) : "") + "\n";
    for (const Action& a : schedule.devices[d])
      text += std::string(name_of(a.kind)) + " " + std::to_string(a.stage) + " " +
              std::to_string(a.micro_batch) + "\n";
  }
}

std::string schedule_text(const Schedule& schedule) {
  std::string text = "cutset schedule 1\n";
  append_schedule_lines(schedule, {}, text);
  return text;
}

}  // namespace cutset
