// SPDX-License-Identifier: Apache-2.0
// Pictures of the times of a schedule: one row per device, and time from left to right.
#pragma once
#include <string>
#include <vector>

#include "graph/schedule/schedule.h"
#include "graph/schedule/simulate.h"

namespace cutset {

// Returns a picture as text of at most `columns` columns per device. Each device has a row of letters (F
// forward, B backward or its input part, W weight part, a dot for idle time) and a row of micro-batches, of
// which the last digit is shown. A column shows the action that runs at the middle of its time. A column is
// as long as the shortest action if the columns suffice, and longer otherwise.
std::string timeline_text(const Schedule& schedule, const Simulation& simulation, int columns);

// Returns a picture as SVG. A rectangle is an action; its colour tells the kind, its number the micro-batch,
// and its tooltip the action with its times.
std::string timeline_svg(const Schedule& schedule, const Simulation& simulation, const std::string& title);

}  // namespace cutset
