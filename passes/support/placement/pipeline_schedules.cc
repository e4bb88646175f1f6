// SPDX-License-Identifier: Apache-2.0
#include "passes/support/placement/pipeline_schedules.h"

#include <set>

#include "graph/schedule/check_schedule.h"
#include "graph/schedule/generators.h"
#include "graph/schedule/schedule_text.h"
#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {

std::vector<std::string> names_of_positions(const DeviceGrid& grid, ArrayRef<std::string> devices) {
  constexpr size_t kMost = 4;
  std::vector<std::string> names(grid.per_copy());
  for (size_t position = 0; position < names.size(); ++position)
    for (size_t copy = 0; copy < grid.copies; ++copy) {
      const bool last = copy + 1 == grid.copies;
      if (copy > 0) names[position] += last && grid.copies <= kMost ? " and " : ", ";
      if (copy == kMost) {
        names[position] += "...";
        break;
      }
      names[position] += devices[grid.device(static_cast<int64_t>(copy), position)];
    }
  return names;
}

Status check_pipeline_schedule(const Schedule& schedule, int64_t micro_batches,
                               std::vector<std::string> names, int64_t chunks) {
  const auto positions = static_cast<int64_t>(names.size());
  if (micro_batches < 1 || chunks < 1 || positions < 1 || chunks > kScheduleCells / positions ||
      micro_batches > kScheduleCells / positions / chunks)
    return invalid_data(
        "the product of devices, chunks and micro-batches is not from 1 to " + std::to_string(kScheduleCells),
        "use fewer micro-batches");
  PipelineCosts pipeline;
  for (int64_t s = 0; s < positions * chunks; ++s) pipeline.stages.push_back({.device = s % positions});
  pipeline.links.assign(pipeline.stages.size() - 1, 0);
  pipeline.micro_batches.assign(static_cast<size_t>(micro_batches), 1);
  pipeline.names = std::move(names);
  CUTSET_TRY(check_schedule(pipeline, schedule));
  return {};
}

PipelineSchedules::PipelineSchedules(func::FuncOp function) : function_(function) {
  const auto module = function->getParentOfType<ModuleOp>();
  if (auto devices = module->getAttrOfType<ArrayAttr>(kDevices))
    for (auto [number, device] : llvm::enumerate(devices.getAsRange<StringAttr>())) {
      numbers_.try_emplace(device, number);
      devices_.push_back(device.str());
    }
  if (auto split = module->getAttrOfType<IntegerAttr>(kReplicas)) replicas_ = split.getInt();
  if (auto axis = module->getAttrOfType<IntegerAttr>(kTensorDevices)) tensor_ = axis.getInt();
  if (auto divided = function->getAttrOfType<IntegerAttr>(kChunks)) chunks_ = divided.getInt();
  if (const auto replicas = function->getAttrOfType<DenseI64ArrayAttr>(kShardReplicas))
    for (auto [shard, replica] : llvm::enumerate(replicas.asArrayRef()))
      ++shards_.try_emplace(replica, MicroBatchRange{static_cast<int64_t>(shard), 0}).first->second.count;
  generator_ = function->getAttrOfType<StringAttr>(kSchedule);
  given_ = module->getAttrOfType<DictionaryAttr>(kSchedules);
}

FailureOr<size_t> PipelineSchedules::number_of(StringAttr device) const {
  const auto number = numbers_.find(device);
  if (number == numbers_.end())
    return function_->emitError() << "the device " << device << " is not among the devices of the module";
  return number->second;
}

FailureOr<DeviceGrid> PipelineSchedules::grid() const {
  const size_t devices = devices_.size();
  if (replicas_ < 1 || tensor_ < 1 || replicas_ % tensor_ || static_cast<int64_t>(devices) % replicas_)
    return function_->emitError() << "the " << devices << " devices of the module do not make " << replicas_
                                  << " groups of equal size, one per replica"
                                  << (tensor_ > 1 ? " and device of the tensor axis" : "");
  return DeviceGrid{devices, static_cast<size_t>(replicas_), static_cast<size_t>(tensor_)};
}

FailureOr<std::vector<std::string>> PipelineSchedules::names_of_positions() const {
  const auto grid = this->grid();
  if (failed(grid)) return failure();
  return passes::names_of_positions(*grid, devices_);
}

PipelineSchedules::MicroBatchRange PipelineSchedules::micro_batches_of(int64_t replica) const {
  const auto range = shards_.find(replica);
  return range == shards_.end() ? MicroBatchRange() : range->second;
}

std::vector<int64_t> PipelineSchedules::counts() const {
  std::set<int64_t> counts;
  for (const auto& [replica, range] : shards_) counts.insert(range.count);
  return {counts.begin(), counts.end()};
}

FailureOr<const Schedule*> PipelineSchedules::of(int64_t micro_batches) {
  auto schedule = known_.find(micro_batches);
  if (schedule == known_.end()) {
    auto new_schedule = make(micro_batches);
    if (failed(new_schedule)) return failure();
    schedule = known_.emplace(micro_batches, *std::move(new_schedule)).first;
  }
  return &schedule->second;
}

FailureOr<Schedule> PipelineSchedules::make(int64_t micro_batches) {
  const auto grid = this->grid();
  if (failed(grid)) return failure();
  const Attribute planned = given_ ? given_.get(std::to_string(micro_batches)) : Attribute();
  if (!planned) {
    auto generated =
        generate_schedule(generator_.str(), {static_cast<int64_t>(grid->per_copy()), micro_batches, chunks_});
    if (!generated) return function_.emitError() << generated.error().what;
    return *std::move(generated);
  }
  const std::string name = "the schedule of " + std::to_string(micro_batches) + " micro-batches";
  auto text = dyn_cast<StringAttr>(planned);
  if (!text) return function_.emitError() << name << " in " << kSchedules << " is not a string";
  auto parsed = parse_schedule(text.getValue());
  if (!parsed) return function_.emitError() << name << ": " << parsed.error().text();
  const Status checked =
      check_pipeline_schedule(*parsed, micro_batches, passes::names_of_positions(*grid, devices_), chunks_);
  if (!checked.ok()) return function_.emitError() << name << ": " << checked.error().what;
  return *std::move(parsed);
}

FailureOr<bool> PipelineSchedules::divides_backward() {
  if (!any()) return false;
  for (const int64_t count : counts()) {
    const auto schedule = of(count);
    if (failed(schedule)) return failure();
    for (const auto& actions : (*schedule)->devices)
      for (const Action& a : actions)
        if (a.kind == ActionKind::kBackwardInput) return true;
  }
  return false;
}

}  // namespace cutset::passes
