// SPDX-License-Identifier: Apache-2.0
// Writes a schedule as a text that people edit, and reads it back. docs/schedules.md describes the format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "graph/schedule/lines.h"
#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

// Returns the schedule that `text` describes, or an error of code kInvalidData whose `where` is
// "schedule:LINE:COLUMN". graph/schedule/check_schedule.h checks whether the schedule fits a pipeline.
// Complexity: O(n) for n bytes.
Result<Schedule> parse_schedule(std::string_view text);
// Returns the text of a schedule. parse_schedule reads the same schedule from it.
std::string schedule_text(const Schedule& schedule);

// The lines of a schedule without the first line, for texts that contain schedules among other lines.
// Adds the line that `lines` has just read to `schedule`, and returns true. Returns false if the line is not
// about a schedule: if its first word is neither `device` nor a kind of actions.
Result<bool> take_schedule_line(const LineReader& lines, Schedule& schedule);
// Appends the lines of a schedule to `text`. `notes`: the comment of each device; none if the list is empty.
void append_schedule_lines(const Schedule& schedule, const std::vector<std::string>& notes,
                           std::string& text);

}  // namespace cutset
