// SPDX-License-Identifier: Apache-2.0
#include "passes/place/schedules.h"

#include <set>

#include "graph/schedule/schedule_text.h"
#include "passes/place/reasons.h"
#include "passes/support/placement/pipeline_schedules.h"

using namespace mlir;

namespace cutset::passes {
namespace {

std::string count_text(int64_t micro_batches) {
  return std::to_string(micro_batches) + (micro_batches == 1 ? " micro-batch" : " micro-batches");
}

LogicalResult check(ModuleOp module, const Plan::PipelineSchedule& s, const CompileConfig& config,
                    const std::vector<std::string>& names) {
  const int64_t most = config.shards > 0 ? config.shards : config.strategy.micro_batches();
  if (s.micro_batches > most)
    return module.emitError() << line_text(s.line) << " begins the schedule of replicas with "
                              << count_text(s.micro_batches) << "; with '" << config.strategy.text()
                              << "', a replica has at most " << most
                              << " (remove this schedule, or use more micro-batches)";
  const Status checked =
      check_pipeline_schedule(s.schedule, s.micro_batches, names, config.strategy.chunks());
  if (checked.ok()) return success();
  return module.emitError() << "the schedule of " << count_text(s.micro_batches) << " (" << line_text(s.line)
                            << "): " << checked.error().text();
}

}  // namespace

LogicalResult set_schedules(ModuleOp module, const CompileConfig& config) {
  module->removeAttr(kSchedules);
  if (!config.plan || config.plan->schedules.empty()) return success();
  const Plan& plan = *config.plan;
  const bool of_user = !plan.program.empty();
  const FittedStrategy& strategy = config.strategy;
  if (!strategy.find<Pipeline>() || !strategy.splits_graph() || strategy.micro_batches() < 2)
    return module.emitError()
           << line_text(plan.schedules[0].line) << " begins the schedule of a pipeline; '" << strategy.text()
           << "' has no pipeline of several devices and micro-batches (use the strategy for which "
              "the plan was made, or remove the schedules)";
  std::vector<std::string> devices;
  for (const auto& d : config.devices) devices.push_back(d->name());
  const std::vector<std::string> names = names_of_positions(config.grid(), devices);
  std::set<int64_t> listed;
  Builder b(module.getContext());
  SmallVector<NamedAttribute> texts;
  for (const Plan::PipelineSchedule& s : plan.schedules) {
    if (failed(check(module, s, config, names))) return failure();
    listed.insert(s.micro_batches);
    texts.push_back(
        b.getNamedAttr(std::to_string(s.micro_batches), b.getStringAttr(schedule_text(s.schedule))));
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    const PipelineSchedules schedules(function);
    for (const int64_t count : schedules.counts())
      if (of_user && schedules.any() && !listed.contains(count))
        return function.emitError()
               << "'" << function.getName() << "' has replicas with " << count_text(count)
               << ", and the plan has other schedules, but none for this number (add the lines "
                  "'schedule "
               << count << "' that cutset plan writes with the same options and without --plan)";
  }
  module->setAttr(kSchedules, b.getDictionaryAttr(texts));
  return success();
}

}  // namespace cutset::passes
