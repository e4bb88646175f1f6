// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/train/results.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "frontends/cli/output/terminal.h"
#include "frontends/cli/train/progress_lines.h"

namespace cutset::cli {

nlohmann::json json_of(const MemoryUse& m) {
  return {{"device", m.device},
          {"planned_bytes", m.planned_bytes},
          {"lower_bound_bytes", m.lower_bound_bytes},
          {"arena", m.arena},
          {"variables", m.variables},
          {"optimizer", m.optimizer},
          {"constants", m.constants},
          {"activations", m.activations},
          {"transfers", m.transfers},
          {"scratch", m.scratch},
          {"peak_op", m.peak_op}};
}

nlohmann::json json_of(const TrainedRun& r, const TrainingOptions& o) {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::json j = {
      {"model", o.common.model},
      {"devices", r.devices},
      {"strategy", r.strategy},
      {"batch", o.common.batch},
      {"seed", o.common.seed},
      {"steps", r.result.loss.size()},
      {"loss", r.result.loss},
      {"first_step", r.result.first_step},
      {"accuracy", nlohmann::json::array()},
      {"evaluations", nlohmann::json::array()},
      {"step_ms", {{"median", r.median_ms()}, {"min", r.min_ms()}}},
      {"items_per_second", r.median_ms() > 0 ? static_cast<double>(o.common.batch) / r.median_ms() * 1e3 : 0},
      {"first_step_s", r.first_step_s},
      {"peak_rss_mib", usage.ru_maxrss / 1024},
      {"transfers", nlohmann::json::array()},
      {"memory", nlohmann::json::array()}};
  for (const Evaluation& e : r.result.evaluations) {
    j["evaluations"].push_back(json_of(e));
    if (const auto top1 = e.metric("accuracy")) j["accuracy"].push_back(*top1);
  }
  for (const Transfer& t : r.transfers)
    j["transfers"].push_back(
        {{"from", t.from}, {"to", t.to}, {"bytes_per_step", t.bytes_per_step}, {"tensors", t.tensors}});
  for (const MemoryUse& m : r.memory) j["memory"].push_back(json_of(m));
  if (r.signal) j["stopped_by"] = r.signal == SIGINT ? "SIGINT" : r.signal == SIGHUP ? "SIGHUP" : "SIGTERM";
  if (r.result.stopped_early) j["stopped_early"] = true;
  if (r.failure) j["error"] = r.failed();
  return j;
}

std::string comparison(const std::vector<TrainedRun>& runs, int64_t batch) {
  std::vector<std::vector<std::string>> rows = {
      {"devices", "steps", "evaluation", "last loss", "vs first", "ms/step", "samples/s"}};
  // Each transfer has a line, because one row of all transfers would be wider than a screen.
  std::vector<std::vector<std::string>> transfers = {{"devices", "from", "to", "bytes per step"}};
  for (const TrainedRun& r : runs) {
    double difference = 0;
    for (size_t i = 0; i < std::min<size_t>({20, r.result.loss.size(), runs[0].result.loss.size()}); ++i)
      difference = std::max(
          difference, std::abs(r.result.loss[i] - runs[0].result.loss[i]) / std::abs(runs[0].result.loss[i]));
    for (const Transfer& t : r.transfers)
      transfers.push_back({r.devices, t.from, t.to, bytes(static_cast<double>(t.bytes_per_step))});
    const double ms = r.median_ms();
    rows.push_back({r.devices, std::to_string(r.result.loss.size()),
                    r.result.evaluations.empty() ? "-" : text_of(r.result.evaluations.back()),
                    r.result.loss.empty() ? "-" : fixed(r.result.loss.back(), 4),
                    &r == &runs[0] ? "-" : scientific(difference), fixed(ms, 2),
                    ms > 0 ? fixed(1e3 * static_cast<double>(batch) / ms, 0) : "-"});
  }
  return table(rows) +
         (runs.size() > 1 ? "vs first: the largest relative difference of the losses of 20 steps\n" : "") +
         (transfers.size() > 1 ? "\n" + table(transfers) : "");
}

}  // namespace cutset::cli
