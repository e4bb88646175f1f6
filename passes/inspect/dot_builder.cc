// SPDX-License-Identifier: Apache-2.0
#include "passes/inspect/dot_builder.h"

#include "ir/core/number_text.h"
#include "passes/inspect/dot_action.h"
#include "passes/inspect/over_limit.h"
#include "passes/passes.h"
#include "passes/support/layout/forward_ops.h"

using namespace mlir;

namespace cutset::passes {

std::string bytes_text(int64_t bytes) {
  if (bytes >= 10 * 1024 * 1024) return std::to_string(bytes / (1024 * 1024)) + " MiB";
  if (bytes >= 10 * 1024) return std::to_string(bytes / 1024) + " KiB";
  return std::to_string(bytes) + " B";
}

namespace {

// Returns the function that is drawn.
func::FuncOp function_to_draw(ModuleOp module) {
  for (const char* name : {"graph", "train", "evaluate"})
    if (auto function = module.lookupSymbol<func::FuncOp>(name)) return function;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function->hasAttr(kRole)) return function;
  return {};
}

// Returns the kind of the role to which `cut` will assign an op.
StringRef role_before_cut(Operation* op, const DenseSet<Operation*>& forward) {
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  if (isa<ir::AssignOp>(op) || (rules && rules.op_info().updates > 0)) return "update";
  return forward.contains(op) || isa<ir::ReadOp>(op) ? "forward" : "backward";
}

// Draws the node as a variable: as an ellipse with its own colour.
void draw_as_variable(DotNode& node, const std::string& title) {
  node.lines[0] = title;
  node.round = true;
  node.fill = kDotUpdate;
}

// Returns the numbers plus 1 as text: "1 and 2", or "1, 2 and 3".
std::string list_text(ArrayRef<int64_t> numbers) {
  std::string text;
  for (auto [i, n] : llvm::enumerate(numbers))
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(n + 1);
  return text;
}

}  // namespace

DotBuilder::DotBuilder(ModuleOp module)
    : module_(module), function_(function_to_draw(module)), stages_(function_) {
  if (!function_) return;
  graph_.title = function_.getName().str();
  SmallVector<ir::ScheduleOp> schedules;
  for (auto s : module.getOps<ir::ScheduleOp>())
    if (s.getFunction() == function_.getName()) schedules.push_back(s);
  if (!schedules.empty())
    add_schedules(schedules);
  else if (!function_.isExternal())
    add_function(function_);
  add_warnings();
}

void DotBuilder::add_warnings() {
  if (auto devices = module_->getAttrOfType<DictionaryAttr>(kOverLimit))
    for (const NamedAttribute& entry : devices)
      graph_.warnings[clusters_of(entry.getName(), -1).front()] = cast<StringAttr>(entry.getValue()).str();
}

void DotBuilder::add_schedules(ArrayRef<ir::ScheduleOp> schedules) {
  for (auto s : schedules) s.walk([&](ir::CallOp call) { calls_[call.getRole()].push_back(call); });
  for (auto s : schedules) add_schedule(s);
  for (auto s : schedules)
    for (Operation& action : s.getActions().front()) {
      add_edges(&action);
      if (auto call = dyn_cast<ir::CallOp>(action); call && is_first(call))
        for (Operation& op :
             module_.lookupSymbol<func::FuncOp>(call.getRole()).getBody().front().without_terminator())
          add_edges(&op);
    }
  add_transfers(schedules);
  add_collectives(schedules);
  add_order(schedules);
}

// Draws the updates of a device below its commit, although no tensor connects them.
void DotBuilder::add_order(ArrayRef<ir::ScheduleOp> schedules) {
  for (auto s : schedules) {
    ir::CommitOp commit;
    for (Operation& action : s.getActions().front()) {
      if (auto c = dyn_cast<ir::CommitOp>(action); c && c->getNumOperands() > 0) commit = c;
      auto call = dyn_cast<ir::CallOp>(action);
      if (!call || !commit || !is_first(call)) continue;
      for (Operation& op :
           module_.lookupSymbol<func::FuncOp>(call.getRole()).getBody().front().without_terminator())
        if (parts_.contains(id(&op)))
          graph_.edges.push_back({.from = id(commit), .to = id(&op), .invisible = true});
    }
  }
}

void DotBuilder::add_transfers(ArrayRef<ir::ScheduleOp> schedules) {
  std::map<int64_t, std::pair<ir::SendOp, ir::RecvOp>> channels;
  for (auto s : schedules) {
    s.walk([&](ir::SendOp op) { channels[op.getChannel()].first = op; });
    s.walk([&](ir::RecvOp op) { channels[op.getChannel()].second = op; });
  }
  for (auto& [channel, ends] : channels)
    if (ends.first && ends.second) {
      const auto type = *ir::tensor_type(ends.second.getValue().getType());
      graph_.edges.push_back({.from = id(ends.first),
                              .to = id(ends.second),
                              .label = to_string(type) + "\n" + bytes_text(type.bytes()),
                              .cut = true});
    }
}

// Draws an all_reduce as one node, with an edge from each partial sum and an edge to each wait.
void DotBuilder::add_collectives(ArrayRef<ir::ScheduleOp> schedules) {
  std::map<int64_t, std::string> sums;
  for (auto s : schedules)
    s.walk([&](ir::AllReduceStartOp op) {
      auto [it, fresh] = sums.try_emplace(static_cast<int64_t>(op.getCollective()),
                                          "sum" + std::to_string(op.getCollective()));
      int64_t bytes = 0;
      for (Value v : op.getValues()) bytes += ir::tensor_type(v.getType())->bytes();
      const size_t tensors = op.getValues().size();
      if (fresh) {
        graph_.nodes.push_back({.id = it->second,
                                .lines = {"all_reduce " + std::to_string(op.getCollective()),
                                          counted(tensors, "tensor"), bytes_text(bytes)},
                                .fill = kDotTransfer,
                                .tooltip = ir::source_of(op.getLoc()),
                                .round = true});
        parts_[it->second] = {
            .kind = DotPart::Kind::kSum, .bytes = bytes, .tensors = static_cast<int64_t>(tensors)};
      }
      graph_.edges.push_back({.from = id(op), .to = it->second, .label = bytes_text(bytes), .cut = true});
    });
  for (auto s : schedules)
    s.walk([&](ir::AllReduceWaitOp op) {
      graph_.edges.push_back(
          {.from = sums[static_cast<int64_t>(op.getCollective())], .to = id(op), .cut = true});
    });
}

std::vector<std::string> DotBuilder::clusters_of(StringRef device, int64_t stage) const {
  if (device.empty()) return {};
  const auto stages = stages_.of(device);
  if (stages.empty()) return {device.str()};
  const std::string of = " of " + std::to_string(stages_.count());
  std::vector<std::string> clusters = {device.str() + (stages.size() > 1 ? ", stages " : ", stage ") +
                                       list_text(stages) + of};
  if (stages.size() > 1 && stage >= 0) clusters.push_back("stage " + std::to_string(stage + 1) + of);
  return clusters;
}

std::string DotBuilder::id(Operation* op) {
  auto [it, fresh] = ids_.try_emplace(op);
  if (fresh) it->second = "n" + std::to_string(ids_.size());
  return it->second;
}

DotNode& DotBuilder::node(Operation* op, StringRef title) {
  graph_.nodes.push_back({.id = id(op), .lines = {title.str()}, .tooltip = ir::source_of(op->getLoc())});
  return graph_.nodes.back();
}

void DotBuilder::add_function(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, kInput);
    const std::string shown = name ? name.str() : std::to_string(i), type = type_of_input(function, i);
    graph_.nodes.push_back({.id = "arg" + std::to_string(i),
                            .lines = {"input " + shown, type},
                            .fill = kDotPort,
                            .round = true});
    parts_[graph_.nodes.back().id] = {
        .kind = is_fed(function, static_cast<int>(i)) ? DotPart::Kind::kDetail : DotPart::Kind::kInput,
        .name = shown,
        .type = type};
  }
  const DenseSet<Operation*> forward = forward_ops(function);
  for (Operation& op : function.getBody().front().without_terminator())
    add_op(&op, {.role = role_before_cut(&op, forward)});
  for (Operation& op : function.getBody().front().without_terminator()) add_edges(&op);
}

void DotBuilder::add_schedule(ir::ScheduleOp schedule) {
  for (Operation& action : schedule.getActions().front()) {
    if (auto call = dyn_cast<ir::CallOp>(action)) {
      if (!is_first(call)) continue;
      SmallVector<int64_t> shards;
      for (ir::CallOp each : calls_[call.getRole()])
        if (auto shard = each.getShard()) shards.push_back(static_cast<int64_t>(*shard));
      auto role = module_.lookupSymbol<func::FuncOp>(call.getRole());
      const Place place{.role = role->getAttrOfType<StringAttr>(kRole).getValue(),
                        .device = schedule.getDevice(),
                        .stage = stages_.of_role(role),
                        .shards = shards};
      for (Operation& op : role.getBody().front().without_terminator()) add_op(&op, place);
      continue;
    }
    if (isa<ir::CommitOp>(action) && action.getNumOperands() == 0) continue;  // no flag is tested
    if (isa<ir::UnpackOp>(action)) continue;
    DotNode& n = node(&action, action.getName().stripDialect());
    n.clusters = clusters_of(schedule.getDevice(), -1);
    n.round = true;
    DotPart& part = parts_[n.id];
    part.device = schedule.getDevice().str();
    describe_action(action, function_, n, part);
    n.fill =
        part.kind == DotPart::Kind::kInput || part.kind == DotPart::Kind::kOutput ? kDotPort : kDotTransfer;
    if (!n.tooltip.empty()) n.lines.push_back(n.tooltip);
  }
}

void DotBuilder::add_op(Operation* op, const Place& place) {
  if (isa<ir::ConstantOp, ir::TypeOnlyOp>(op)) return;
  auto [role, device, stage, shards] = place;
  auto placed = dyn_cast<ir::PlacedOpInterface>(op);
  if (placed && placed.placement().device) device = placed.placement().device.getValue();
  DotNode& n = node(op, op->getName().stripDialect());
  const std::string layer = ir::layer_of(op->getLoc());
  if (stage < 0) stage = stages_.of(op, device);
  parts_[n.id] = {.kind = isa<ir::ReadOp, ir::AssignOp>(op) ? DotPart::Kind::kVariable : DotPart::Kind::kOp,
                  .device = device.str(),
                  .stage = stage,
                  .layer = layer,
                  .role = role.str(),
                  .name = n.lines[0],
                  .shards = {shards.begin(), shards.end()}};
  n.clusters = clusters_of(device, stage);
  // The cluster of an inner scope is in the cluster of the outer scope. The forward, backward and update ops
  // of a layer are in separate clusters, because ops of other layers are between them.
  StringRef outer, inner = layer;
  for (bool first = true; !inner.empty(); first = false) {
    std::tie(outer, inner) = inner.split('/');
    n.clusters.push_back(!first || role == "forward" ? outer.str() : (outer + " " + role).str());
  }
  if (auto read = dyn_cast<ir::ReadOp>(op)) draw_as_variable(n, "@" + read.getVariable().str());
  if (auto assign = dyn_cast<ir::AssignOp>(op)) draw_as_variable(n, "assign @" + assign.getVariable().str());
  if (shards.size() > 1 && placed) n.lines[0] += " (" + std::to_string(shards.size()) + " times)";
  if (op->getNumResults() > 0) n.lines.push_back(type_text(op->getResult(0).getType()));
  if (auto kernel = op->getAttrOfType<StringAttr>(kKernel)) n.lines.push_back(kernel.str());
  if (!n.tooltip.empty()) n.lines.push_back(n.tooltip);
  n.tooltip += " (" + role.str() + ")";
  if (role.starts_with("backward")) n.fill = kDotBackward;
  if (placed && placed.placement().reason)
    n.tooltip += " on " + device.str() + " because " + placed.placement().reason.str();
}

bool DotBuilder::is_first(ir::CallOp call) const { return calls_.lookup(call.getRole()).front() == call; }

void DotBuilder::find_sources(Value value, unsigned element,
                              llvm::SmallDenseSet<std::pair<Value, unsigned>>& seen,
                              std::set<std::string>& sources) {
  if (!seen.insert({value, element}).second) return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!function) return;
    auto calls = calls_.find(function.getName());
    if (calls == calls_.end()) return void(sources.insert("arg" + std::to_string(argument.getArgNumber())));
    for (ir::CallOp call : calls->second) {
      const auto [passed, number] = call.element_of_argument(argument.getArgNumber());
      find_sources(passed, number, seen, sources);
    }
    return;
  }
  Operation* op = value.getDefiningOp();
  if (auto unpack = dyn_cast<ir::UnpackOp>(op))
    return find_sources(unpack.getFrame(), cast<OpResult>(value).getResultNumber(), seen, sources);
  if (isa<ir::ConstantOp, ir::TypeOnlyOp>(op)) return;
  auto call = dyn_cast<ir::CallOp>(op);
  if (!call) return void(sources.insert(id(op)));
  auto role = module_.lookupSymbol<func::FuncOp>(call.getRole());
  const unsigned number = call.number_of_element(cast<OpResult>(value).getResultNumber(), element);
  find_sources(role.getBody().front().getTerminator()->getOperand(number), 0, seen, sources);
}

void DotBuilder::add_edges(Operation* op) {
  if (isa<ir::ConstantOp, ir::TypeOnlyOp, ir::CallOp, ir::UnpackOp>(op)) return;
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  for (OpOperand& operand : op->getOpOperands()) {
    if (rules && rules.op_info().reads_type_only(operand.getOperandNumber())) continue;
    llvm::SmallDenseSet<std::pair<Value, unsigned>> seen;
    std::set<std::string> sources;
    find_sources(operand.get(), 0, seen, sources);
    for (const std::string& from : sources) graph_.edges.push_back({from, id(op), "", false});
  }
}

}  // namespace cutset::passes
