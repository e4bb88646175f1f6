// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/generators.h"

#include <algorithm>

#include "graph/schedule/pipeline.h"

namespace cutset {
namespace {

// Returns the list of generators. It is local to the function, so that it exists before the first generator
// registers itself, in any order of the files.
std::vector<ScheduleGenerator>& registered() {
  static std::vector<ScheduleGenerator> list;
  return list;
}

}  // namespace

RegisterScheduleGenerator::RegisterScheduleGenerator(ScheduleGenerator generator) {
  std::vector<ScheduleGenerator>& list = registered();
  auto by_name = [](const ScheduleGenerator& a, const ScheduleGenerator& b) { return a.name < b.name; };
  list.insert(std::upper_bound(list.begin(), list.end(), generator, by_name), generator);
}

std::vector<Action> in_turns(int32_t stage, int32_t micro_batches, std::initializer_list<DelayedKind> kinds) {
  int32_t turns = 0;
  for (const DelayedKind& k : kinds) turns = std::max(turns, micro_batches + k.delay);
  std::vector<Action> list;
  for (int32_t t = 0; t < turns; ++t)
    for (const auto [kind, delay] : kinds)
      if (t >= delay && t - delay < micro_batches) list.push_back({kind, stage, t - delay});
  return list;
}

const std::vector<ScheduleGenerator>& schedule_generators() { return registered(); }

const ScheduleGenerator* find_schedule_generator(const std::string& name) {
  for (const ScheduleGenerator& g : registered())
    if (g.name == name) return &g;
  return nullptr;
}

Result<Schedule> generate_schedule(const std::string& name, const ScheduleShape& shape) {
  const ScheduleGenerator* generator = find_schedule_generator(name);
  if (!generator) {
    std::string names;
    for (const ScheduleGenerator& g : registered()) names += (names.empty() ? "" : ", ") + g.name;
    return invalid_argument("there is no schedule '" + name + "'", "the schedules are " + names);
  }
  for (const auto& [value, what] :
       {std::pair(shape.devices, "devices"), std::pair(shape.micro_batches, "micro-batches"),
        std::pair(shape.chunks, "chunks")})
    if (value < 1 || value > kScheduleCells)
      return invalid_argument(
          "schedule '" + name + "': " + std::to_string(value) + " " + what + " are out of range",
          "the range is 1 to " + std::to_string(kScheduleCells));
  if (shape.chunks < generator->least_chunks || shape.chunks > generator->most_chunks)
    return invalid_argument("schedule '" + name + "' does not take " + std::to_string(shape.chunks) +
                                " stages per device; it takes " +
                                (generator->most_chunks == generator->least_chunks
                                     ? std::to_string(generator->least_chunks)
                                     : "at least " + std::to_string(generator->least_chunks)),
                            generator->most_chunks == 1 ? "use 'interleaved' for several stages per device"
                                                        : "use '1f1b' for one stage per device");
  const int64_t most = kScheduleCells / shape.devices / shape.chunks;
  if (most < 1 || shape.micro_batches > most)
    return invalid_argument("schedule '" + name +
                                "': the product of devices, chunks and micro-batches exceeds " +
                                std::to_string(kScheduleCells),
                            "use fewer micro-batches");
  return generator->generate(shape);
}

}  // namespace cutset
