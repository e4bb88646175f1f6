// Writes a schedule as a text that people edit, and reads it back. docs/schedules.md describes the format.
#pragma once
#include <string>
#include <string_view>

#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

// Returns the schedule that `text` describes, or an error of code kInvalidData whose `where` is "schedule:LINE:COLUMN".
// graph/schedule/check_schedule.h checks whether the schedule fits a pipeline. Complexity: O(n) for n bytes.
Result<Schedule> parse_schedule(std::string_view text);
// Returns the text of a schedule. parse_schedule reads the same schedule from it.
std::string schedule_text(const Schedule& schedule);

}  // namespace cutset
