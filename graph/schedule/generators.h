// SPDX-License-Identifier: Apache-2.0
// The generators of schedules, by name. A generator depends only on the numbers of devices, chunks and
// micro-batches; the times of the stages do not change the order of the actions.
//
// Each generator is one file in graph/schedule/generators, which registers itself. docs/schedules.md compares
// them. Every generator emits the micro-batches in ascending order per stage and kind, so that sums over
// micro-batches need the fewest buffers.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "graph/schedule/schedule.h"
#include "ir/core/result.h"

namespace cutset {

// What a schedule is generated for. The pipeline has `devices` * `chunks` stages, and stage s is on device s
// mod `devices`.
struct ScheduleShape {
  int64_t devices = 1, micro_batches = 1;
  int64_t chunks = 1;  // stages per device
};

struct ScheduleGenerator {
  std::string name;     // a value of the option --schedule
  std::string summary;  // one line for --help
  int64_t least_chunks = 1, most_chunks = 1;
  Schedule (*generate)(const ScheduleShape& shape) = nullptr;  // the shape has been checked
};

// Returns all generators, sorted by name. The list is complete when main() begins, and it does not change.
const std::vector<ScheduleGenerator>& schedule_generators();
// Returns the generator of this name, or null.
const ScheduleGenerator* find_schedule_generator(const std::string& name);
// Generates the schedule `name`. Fails if there is no such generator, if a number of the shape is not
// positive or too large, or if the generator does not take this number of chunks. Complexity: O(n) for n
// actions.
Result<Schedule> generate_schedule(const std::string& name, const ScheduleShape& shape);

// A kind of actions, and the number of turns by which they are later than the first kind.
struct DelayedKind {
  ActionKind kind;
  int32_t delay;
};
// Returns the actions of a stage for generators. Turn t has, for each kind in the order of `kinds`, its
// action for micro-batch t - delay, if there is such a micro-batch.
std::vector<Action> in_turns(int32_t stage, int32_t micro_batches, std::initializer_list<DelayedKind> kinds);

// Adds a generator to the list. Each file of graph/schedule/generators has one static object of this type.
class RegisterScheduleGenerator {
 public:
  explicit RegisterScheduleGenerator(ScheduleGenerator generator);
};

}  // namespace cutset
