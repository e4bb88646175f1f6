// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/instance.h"

#include <algorithm>

#include "graph/schedule/generators.h"

namespace cutset {
namespace {

// Returns the number of stages per device of the pipeline as it is written.
int64_t stages_per_device(const PipelineCosts& pipeline) {
  return static_cast<int64_t>(pipeline.stages.size()) / pipeline.devices();
}

}  // namespace

Result<InstanceSchedule> schedule_instance(const PipelineInstance& instance, const std::string& name) {
  const PipelineCosts& written = instance.pipeline;
  const int64_t devices = written.devices();
  for (size_t s = 0; s < written.stages.size(); ++s)
    if (written.stages[s].device != static_cast<int64_t>(s) % devices ||
        static_cast<int64_t>(written.stages.size()) % devices != 0)
      return invalid_data(
          "stage " + std::to_string(s) + " is on device " + std::to_string(written.stages[s].device) +
              "; schedules are generated for the same number of stages on each of the " +
              std::to_string(devices) + " devices, with stage s on device s mod " + std::to_string(devices),
          "write a schedule for these stages by hand and pass it to --edited");
  InstanceSchedule result{written, {}};
  ScheduleShape shape{devices, static_cast<int64_t>(written.micro_batches.size()),
                      stages_per_device(written)};
  const ScheduleGenerator* generator = find_schedule_generator(name);
  if (generator && generator->most_chunks > 1 && instance.chunks > 1) {
    CUTSET_ASSIGN(result.pipeline, divide_stages(written, instance.chunks, instance.wrap));
    shape.chunks = instance.chunks;
  }
  if (generator && shape.chunks < generator->least_chunks)
    return invalid_data("schedule '" + name + "' needs several stages per device; the instance has one",
                        "add a line 'chunks 2' to the instance");
  if (generator && shape.chunks > generator->most_chunks)
    return invalid_data("schedule '" + name + "' takes one stage per device; the instance has " +
                            std::to_string(shape.chunks),
                        "use 'interleaved'");
  CUTSET_ASSIGN(result.schedule, generate_schedule(name, shape));
  return result;
}

std::vector<std::string> schedules_of(const PipelineInstance& instance) {
  if (!instance.schedules.empty()) return instance.schedules;
  std::vector<std::string> names;
  const int64_t written = stages_per_device(instance.pipeline);
  for (const ScheduleGenerator& g : schedule_generators()) {
    const int64_t chunks = g.most_chunks > 1 ? std::max(written, instance.chunks) : written;
    if (chunks >= g.least_chunks && chunks <= g.most_chunks) names.push_back(g.name);
  }
  return names;
}

}  // namespace cutset
