// SPDX-License-Identifier: Apache-2.0
#include "passes/place/plan.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include "passes/passes.h"
#include "passes/place/round_lines.h"
#include "passes/support/placement/cost_groups.h"
#include "passes/support/placement/pipeline_schedules.h"

using namespace mlir;

namespace cutset::passes {

void name_program(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto function : module.getOps<func::FuncOp>()) {
    DenseMap<Value, size_t> numbers;
    auto number = [&](Value v) { numbers.try_emplace(v, numbers.size()); };
    for (BlockArgument a : function.getArguments()) {
      number(a);
      out << "input " << function.getArgAttr(a.getArgNumber(), kInput) << "\n";
    }
    function.walk([&](Operation* op) {
      out << op->getName();
      if (auto read = dyn_cast<ir::ReadOp>(op)) out << " " << read.getVariableAttr();
      for (Value v : op->getOperands()) out << " " << numbers.lookup(v);
      out << "\n";
      for (Value v : op->getResults()) number(v);
    });
  }
  module->setAttr(kProgram,
                  StringAttr::get(module.getContext(), llvm::formatv("{0:x-16}", llvm::xxh3_64bits(text))));
}

namespace {

LogicalResult add_schedules(ModuleOp module, const std::optional<Plan>& user_plan, Plan& plan) {
  std::map<int64_t, Plan::PipelineSchedule> by_count;
  for (auto function : module.getOps<func::FuncOp>()) {
    PipelineSchedules schedules(function);
    if (!schedules.any()) continue;
    const auto names = schedules.names_of_positions();
    const auto phases = round_lines(function, schedules);
    if (failed(names) || failed(phases)) return failure();
    for (const int64_t count : schedules.counts()) {
      const auto schedule = schedules.of(count);
      if (failed(schedule)) return failure();
      auto& planned =
          by_count.try_emplace(count, Plan::PipelineSchedule{count, **schedule, *names}).first->second;
      planned.phases.insert(planned.phases.end(), phases->begin(), phases->end());
    }
  }
  if (user_plan)
    for (const Plan::PipelineSchedule& s : user_plan->schedules) by_count.try_emplace(s.micro_batches, s);
  for (auto& [count, schedule] : by_count) plan.schedules.push_back(std::move(schedule));
  return success();
}

}  // namespace

int64_t copy_at_home(ir::VariableOp variable, int64_t home, const FittedStrategy& strategy) {
  const int64_t replicas = strategy.replicas(), axis = strategy.tensor_devices();
  return variable->hasAttr(kDividedBefore) ? home % replicas * axis + home / replicas : home;
}

FailureOr<Plan> plan_of(ModuleOp module, const std::optional<Plan>& user_plan) {
  Plan plan;
  if (auto name = module->getAttrOfType<StringAttr>(kProgram)) plan.program = name.str();
  llvm::StringSet<> states;
  std::map<GroupKey, bool> seen;
  module.walk([&](ir::PlacedOpInterface op) {  // an op that is placed together with an update gets no line
    if (cast<ir::CutsetOpInterface>(*op).op_info().updates > 0) seen[key_of(op)] = true;
  });
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](ir::PlacedOpInterface op) {
      const OpInfo& info = cast<ir::CutsetOpInterface>(*op).op_info();
      for (int i = 1; i < info.updates; ++i)
        if (auto state = op->getOperand(static_cast<unsigned>(i)).getDefiningOp<ir::ReadOp>())
          states.insert(state.getVariable());
      const ir::Placement& p = op.placement();
      if (!p.device || !seen.try_emplace(key_of(op), true).second) return;
      const std::string layer = ir::layer_of(op->getLoc()), source = ir::source_of(op->getLoc());
      plan.ops.push_back({p.id, op->getName().stripDialect().str(), p.device.str(), p.replica,
                          layer.empty() ? source : layer + " (" + source + ")"});
      if (auto stage = op->getAttrOfType<IntegerAttr>(kStage)) plan.ops.back().stage = stage.getInt();
    });
  for (auto v : module.getOps<ir::VariableOp>()) {
    if (states.contains(v.getSymName()) || !v.home_of(0)) continue;
    Plan::Home& home = plan.homes.emplace_back(Plan::Home{v.getSymName().str(), {}});
    for (int64_t r = 0; v.home_of(r); ++r) home.devices.push_back(v.home_of(r).str());
    auto pieces = v.getPiecesAttr();
    if (auto before = v->getAttrOfType<DenseI64ArrayAttr>(kDividedBefore)) {
      home.replica_axis = static_cast<int>(pieces[0]);
      pieces = before.empty() ? nullptr : before;
    }
    if (pieces) {
      home.axis = static_cast<int>(pieces[0]);
      home.unit = pieces[2];
    }
  }
  if (failed(add_schedules(module, user_plan, plan))) return failure();
  return plan;
}

}  // namespace cutset::passes
