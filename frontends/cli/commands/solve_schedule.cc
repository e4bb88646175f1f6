// SPDX-License-Identifier: Apache-2.0
// cutset solve schedule generates and simulates schedules of a pipeline from a file, or checks an edited one.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "frontends/cli/commands/commands.h"
#include "frontends/cli/options/options.h"
#include "frontends/cli/output/outputs.h"
#include "frontends/cli/output/terminal.h"
#include "frontends/cpp/checks/failure.h"
#include "graph/schedule/check_schedule.h"
#include "graph/schedule/generators.h"
#include "graph/schedule/lines.h"
#include "graph/schedule/pipeline_text.h"
#include "graph/schedule/schedule_text.h"
#include "graph/schedule/simulate.h"
#include "graph/schedule/timeline.h"
#include "ir/core/names.h"
#include "runtime/files/files.h"

namespace cutset::cli {
namespace {

struct SolveScheduleOptions {
  std::string file, edited, out, svg, trace, json;
  std::vector<std::string> schedules;
  int64_t capacity = 1;
  bool timeline = false;
};

// A schedule with everything that is printed about it.
struct Row {
  std::string name;
  InstanceSchedule instance;
  CheckedSchedule checked;
  Simulation simulation;
};

Row solve(std::string name, InstanceSchedule instance, int64_t capacity) {
  CheckedSchedule checked = check(check_schedule(instance.pipeline, instance.schedule, capacity));
  Simulation simulation = simulate(instance.pipeline, instance.schedule, checked.order);
  return {std::move(name), std::move(instance), std::move(checked), std::move(simulation)};
}

std::vector<Row> solve_all(const SolveScheduleOptions& o) {
  const PipelineInstance instance = check(parse_pipeline(check(read_file(o.file, kTextBytes))));
  std::vector<Row> rows;
  if (!o.edited.empty()) {
    const Schedule schedule = check(parse_schedule(check(read_file(o.edited, kTextBytes))));
    rows.push_back(solve("edited", {instance.pipeline, schedule}, o.capacity));
    return rows;
  }
  for (const std::string& name : o.schedules.empty() ? schedules_of(instance) : o.schedules)
    rows.push_back(solve(name, check(schedule_instance(instance, name)), o.capacity));
  return rows;
}

// Returns a number of seconds as text with six significant digits.
std::string seconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Returns the largest capacity of a channel, or 0 if there is no channel.
int64_t largest(const Channels& channels) {
  int64_t most = 0;
  for (const auto* list : {&channels.forward, &channels.backward})
    for (const int64_t capacity : *list) most = std::max(most, capacity);
  return most;
}

// Returns the number of frames of each device, or the range of these numbers if there are many devices.
std::string frames(const Simulation& simulation) {
  constexpr size_t kListed = 16;
  std::string list;
  int64_t least = INT64_MAX, most = 0;
  for (const DeviceUse& d : simulation.devices) {
    list += (list.empty() ? "" : " ") + std::to_string(d.frames);
    least = std::min(least, d.frames);
    most = std::max(most, d.frames);
  }
  return simulation.devices.size() <= kListed ? list : std::to_string(least) + " to " + std::to_string(most);
}

// Returns the bytes of the frames of the device whose frames are largest in all.
std::string largest_stash(const Simulation& simulation) {
  double most = 0;
  for (const DeviceUse& d : simulation.devices) most = std::max(most, d.stash_bytes);
  return bytes(most);
}

std::string text_of(const std::vector<Row>& rows, bool timeline) {
  std::vector<std::vector<std::string>> cells = {{"schedule", "step s", "makespan s", "bubble",
                                                  "longest span s", "bubble", "frames per device",
                                                  "largest stash", "capacity"}};
  for (const Row& row : rows) {
    const Simulation& s = row.simulation;
    cells.push_back({row.name, seconds(s.step), seconds(s.makespan), fixed(s.bubble(s.makespan), 4),
                     seconds(s.longest_span), fixed(s.bubble(s.longest_span), 4), frames(s), largest_stash(s),
                     std::to_string(largest(row.checked.capacities))});
  }
  std::string text =
      table(cells) +
      "\nstep: the makespan and the longest update of a device\n"
      "makespan: from the start of the step to the end of the last action\n"
      "longest span: the largest time from the first start to the last end of one device\n"
      "bubble: the share of the makespan, or of the longest span, in which devices are idle\n"
      "largest stash: the bytes of all frames of the device that has the most\n"
      "capacity: the largest number of messages that a channel must hold so that the step ends\n";
  if (timeline)
    for (const Row& row : rows)
      text += "\n" + row.name + "\n" + timeline_text(row.instance.schedule, row.simulation, 100);
  return text;
}

nlohmann::json json_of(const Row& row) {
  const Simulation& s = row.simulation;
  nlohmann::json devices = nlohmann::json::array(), stages = nlohmann::json::array();
  for (const DeviceUse& d : s.devices)
    devices.push_back({{"busy_s", d.busy},
                       {"first_start_s", d.first},
                       {"last_end_s", d.last},
                       {"frames", d.frames},
                       {"live", d.live},
                       {"stash_bytes", d.stash_bytes}});
  for (size_t i = 0; i < s.stages.size(); ++i)
    stages.push_back({{"device", row.instance.pipeline.stages[i].device},
                      {"frames", s.stages[i].frames},
                      {"input_frames", s.stages[i].input_frames},
                      {"stash_bytes", s.stages[i].stash_bytes},
                      {"forward_slots", s.stages[i].forward_slots},
                      {"backward_slots", s.stages[i].backward_slots}});
  return {{"schedule", row.name},
          {"actions", row.checked.order.size()},
          {"step_s", s.step},
          {"makespan_s", s.makespan},
          {"makespan_bubble", s.bubble(s.makespan)},
          {"longest_span_s", s.longest_span},
          {"longest_span_bubble", s.bubble(s.longest_span)},
          {"devices", devices},
          {"stages", stages},
          {"forward_capacities", row.checked.capacities.forward},
          {"backward_capacities", row.checked.capacities.backward}};
}

// Returns the actions in the Trace Event Format, which https://ui.perfetto.dev displays. A device is a
// process of the trace, and each of its stages is a thread.
std::string trace_of(const Row& row) {
  nlohmann::json events = nlohmann::json::array();
  for (size_t d = 0; d < row.instance.schedule.devices.size(); ++d) {
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", d},
                      {"args", {{"name", "device " + std::to_string(d)}}}});
    for (size_t i = 0; i < row.instance.schedule.devices[d].size(); ++i) {
      const Action& a = row.instance.schedule.devices[d][i];
      const ActionTime& t = row.simulation.times[d][i];
      events.push_back({{"ph", "X"},
                        {"name", name_of(a.kind) + std::string(" ") + std::to_string(a.micro_batch)},
                        {"cat", name_of(a.kind)},
                        {"pid", d},
                        {"tid", a.stage},
                        {"ts", t.start * 1e6},
                        {"dur", (t.end - t.start) * 1e6},
                        {"args", {{"stage", a.stage}, {"micro_batch", a.micro_batch}}}});
    }
  }
  for (size_t s = 0; s < row.instance.pipeline.stages.size(); ++s)
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", row.instance.pipeline.stages[s].device},
                      {"tid", s},
                      {"args", {{"name", "stage " + std::to_string(s)}}}});
  return nlohmann::json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

void solve_schedule(const SolveScheduleOptions& o) {
  OutputFiles outputs;
  outputs.reads("the instance", o.file);
  outputs.reads("--edited", o.edited);
  outputs.file("--out", o.out, true);
  outputs.file("--svg", o.svg);
  outputs.file("--trace", o.trace);
  outputs.file("--json", o.json, true);
  const std::vector<Row> rows = solve_all(o);
  for (const auto& [option, path] :
       {std::pair("--out", &o.out), std::pair("--svg", &o.svg), std::pair("--trace", &o.trace)})
    if (!path->empty() && rows.size() != 1)
      raise(invalid_argument(
          std::string(option) + " is for one schedule; there are " + std::to_string(rows.size()),
          "select one with --schedule"));
  if (o.json != "-" && o.out != "-") write_text("-", text_of(rows, o.timeline));
  if (!o.out.empty()) write_text(o.out, schedule_text(rows[0].instance.schedule));
  if (!o.svg.empty())
    write_text(o.svg, timeline_svg(rows[0].instance.schedule, rows[0].simulation,
                                   rows[0].name + ", " + seconds(rows[0].simulation.makespan) + " s"));
  if (!o.trace.empty()) write_text(o.trace, trace_of(rows[0]));
  if (!o.json.empty()) {
    nlohmann::json schedules = nlohmann::json::array();
    for (const Row& row : rows) schedules.push_back(json_of(row));
    const PipelineCosts& pipeline = rows[0].instance.pipeline;
    write_json(o.json, {{"devices", pipeline.devices()},
                        {"micro_batches", pipeline.micro_batches.size()},
                        {"schedules", schedules}});
  }
}

}  // namespace

void add_solve_schedule(CLI::App& solve) {
  auto o = std::make_shared<SolveScheduleOptions>();
  CLI::App* schedule = solve.add_subcommand("schedule", "generate and simulate schedules of a pipeline");
  schedule->group("Solvers");
  std::vector<std::string> names;
  for (const ScheduleGenerator& g : schedule_generators()) names.push_back(g.name);
  const std::string help = "the schedules to simulate: " + plain_list(names);
  schedule->add_option("file", o->file, "the instance, as docs/schedules.md describes it")
      ->required()
      ->check(path_name());
  CLI::Option* generated = schedule->add_option("--schedule", o->schedules, help)
                               ->delimiter(',')
                               ->transform(one_of(names))
                               ->type_name("NAME,NAME");
  schedule->add_option("--edited", o->edited, "a schedule to check and simulate, as --out writes it")
      ->check(path_name())
      ->excludes(generated);
  schedule->add_option("--capacity", o->capacity, "messages that a channel holds")
      ->check(CLI::Range(int64_t{1}, kScheduleCells))
      ->capture_default_str();
  schedule->add_flag("--timeline", o->timeline, "also print when each device runs which action");
  schedule->add_option("--out", o->out, "file for the schedule as text; - is standard output")
      ->check(path_name());
  schedule->add_option("--svg", o->svg, "drawing of the schedule")->check(path_name());
  schedule->add_option("--trace", o->trace, "the actions with their times, for ui.perfetto.dev")
      ->check(path_name());
  schedule->add_option("--json", o->json, kJsonHelp)->check(path_name());
  schedule->callback([o] { solve_schedule(*o); });
}

}  // namespace cutset::cli
