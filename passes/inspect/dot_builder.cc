#include "passes/inspect/dot_builder.h"

#include "passes/passes.h"

using namespace mlir;

namespace cutset::passes {
namespace {

constexpr const char* kLegend =
    "white: forward, grey: backward, yellow: variables and updates, green: inputs and outputs, red: between devices";

// The inputs of a function that the session feeds: the step and the hyper-parameters.
std::set<StringRef> fed_inputs(func::FuncOp function) {
  std::set<StringRef> names;
  for (unsigned i = 0; function && i < function.getNumArguments(); ++i)
    if (auto name = function.getArgAttrOfType<StringAttr>(i, kInput);
        name && (function.getArgAttr(i, kStep) || function.getArgAttr(i, kHyperParameter)))
      names.insert(name.getValue());
  return names;
}

std::string bytes_text(int64_t bytes) {
  if (bytes >= 10 * 1024 * 1024) return std::to_string(bytes / (1024 * 1024)) + " MiB";
  if (bytes >= 10 * 1024) return std::to_string(bytes / 1024) + " KiB";
  return std::to_string(bytes) + " B";
}
std::string type_text(Type type) {
  auto t = ir::tensor_type(type);
  return t ? to_string(*t) : "?";
}

}  // namespace

DotBuilder::DotBuilder(ModuleOp module, const std::string& wanted) : module_(module) {
  std::string name = wanted;
  if (name.empty())
    for (const char* candidate : {"graph", "train", "evaluate"})
      if (name.empty() && module.lookupSymbol<func::FuncOp>(candidate)) name = candidate;
  if (name.empty())  // none of these functions exists: takes the first function that is not a role
    for (auto function : module.getOps<func::FuncOp>())
      if (name.empty() && !function->hasAttr("cutset.role")) name = function.getName().str();
  graph_.title = name + "\n" + kLegend;
  SmallVector<ir::ScheduleOp> schedules;
  for (auto s : module.getOps<ir::ScheduleOp>())
    if (s.getFunction() == name) schedules.push_back(s);
  if (schedules.empty()) {
    if (auto function = module.lookupSymbol<func::FuncOp>(name); function && !function.isExternal())
      add_function(function);
    return;
  }
  for (auto s : schedules) s.walk([&](ir::CallOp call) { calls_[call.getRole()].push_back(call); });
  for (auto s : schedules) add_schedule(s);
  for (auto s : schedules)
    for (Operation& action : s.getActions().front()) {
      add_edges(&action);
      if (auto call = dyn_cast<ir::CallOp>(action); call && is_first(call))
        for (Operation& op : module.lookupSymbol<func::FuncOp>(call.getRole()).getBody().front().without_terminator())
          add_edges(&op);
    }
  std::map<int64_t, std::pair<ir::SendOp, ir::RecvOp>> channels;
  for (auto s : schedules) {
    s.walk([&](ir::SendOp op) { channels[op.getChannel()].first = op; });
    s.walk([&](ir::RecvOp op) { channels[op.getChannel()].second = op; });
  }
  for (auto& [channel, ends] : channels)
    if (ends.first && ends.second) {
      const auto type = *ir::tensor_type(ends.second.getValue().getType());
      graph_.edges.push_back(
          {id(ends.first), id(ends.second), to_string(type) + "\n" + bytes_text(type.bytes()), true});
    }
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
      for (Operation& op : module_.lookupSymbol<func::FuncOp>(call.getRole()).getBody().front().without_terminator())
        if (layers_.contains(id(&op))) graph_.edges.push_back({id(commit), id(&op), "", false, true});
    }
  }
}

// Draws an all_reduce as one node, with an edge from each partial sum and an edge to each wait.
void DotBuilder::add_collectives(ArrayRef<ir::ScheduleOp> schedules) {
  std::map<int64_t, std::string> sums;
  for (auto s : schedules)
    s.walk([&](ir::AllReduceStartOp op) {
      auto [it, fresh] =
          sums.try_emplace(static_cast<int64_t>(op.getCollective()), "sum" + std::to_string(op.getCollective()));
      int64_t bytes = 0;
      for (Value v : op.getValues()) bytes += ir::tensor_type(v.getType())->bytes();
      if (fresh)
        graph_.nodes.push_back(
            {it->second,
             {},
             {"all_reduce " + std::to_string(op.getCollective()),
              std::to_string(op.getValues().size()) + (op.getValues().size() > 1 ? " tensors" : " tensor"),
              bytes_text(bytes)},
             "#fbe3e0",
             ir::source_of(op.getLoc()),
             true});
      graph_.edges.push_back({id(op), it->second, bytes_text(bytes), true});
    });
  for (auto s : schedules)
    s.walk([&](ir::AllReduceWaitOp op) {
      graph_.edges.push_back({sums[static_cast<int64_t>(op.getCollective())], id(op), "", true});
    });
}

std::string DotBuilder::id(Operation* op) {
  auto [it, fresh] = ids_.try_emplace(op);
  if (fresh) it->second = "n" + std::to_string(ids_.size());
  return it->second;
}

DotNode& DotBuilder::node(Operation* op, StringRef device, StringRef title) {
  DotNode n;
  n.id = id(op);
  if (!device.empty()) n.clusters.push_back(device.str());
  n.lines.push_back(title.str());
  n.tooltip = ir::source_of(op->getLoc());
  graph_.nodes.push_back(std::move(n));
  return graph_.nodes.back();
}

void DotBuilder::add_function(func::FuncOp function) {
  const std::set<StringRef> fed = fed_inputs(function);
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    DotNode n{"arg" + std::to_string(i),
              {},
              {"input " + (function.getArgAttrOfType<StringAttr>(i, kInput)
                               ? function.getArgAttrOfType<StringAttr>(i, kInput).str()
                               : std::to_string(i)),
               type_text(argument.getType())},
              "#dff0d8",
              "",
              true};
    graph_.nodes.push_back(n);
    if (auto name = function.getArgAttrOfType<StringAttr>(i, kInput); name && fed.contains(name.getValue()))
      details_.insert(n.id);
  }
  for (Operation& op : function.getBody().front().without_terminator()) add_op(&op, "", "", 1);
  for (Operation& op : function.getBody().front().without_terminator()) add_edges(&op);
}

void DotBuilder::add_schedule(ir::ScheduleOp schedule) {
  const std::set<StringRef> fed = fed_inputs(module_.lookupSymbol<func::FuncOp>(schedule.getFunction()));
  for (Operation& action : schedule.getActions().front()) {
    if (auto call = dyn_cast<ir::CallOp>(action)) {
      if (!is_first(call)) continue;
      const size_t calls = calls_[call.getRole()].size();
      auto role = module_.lookupSymbol<func::FuncOp>(call.getRole());
      for (Operation& op : role.getBody().front().without_terminator())
        add_op(&op, schedule.getDevice(), role->getAttrOfType<StringAttr>("cutset.role").getValue(), calls);
      continue;
    }
    if (isa<ir::CommitOp>(action) && action.getNumOperands() == 0) continue;  // no flag is tested
    if (isa<ir::UnpackOp>(action)) continue;
    DotNode& n = node(&action, schedule.getDevice(), action.getName().stripDialect());
    n.round = true;
    n.fill = "#fbe3e0";
    if (auto input = dyn_cast<ir::InputOp>(action);
        isa<ir::CommitOp>(action) || (input && fed.contains(input.getName())))
      details_.insert(n.id);
    if (auto input = dyn_cast<ir::InputOp>(action))
      n.lines[0] = "input " + input.getName().str(), n.lines.push_back(type_text(input.getValue().getType())),
      n.fill = "#dff0d8";
    if (auto output = dyn_cast<ir::OutputOp>(action))
      n.lines[0] = "output " + output.getName().str(), n.fill = "#dff0d8";
    if (auto send = dyn_cast<ir::SendOp>(action))
      n.lines[0] = "send to " + send.getTo().str(), n.lines.push_back("channel " + std::to_string(send.getChannel()));
    if (auto recv = dyn_cast<ir::RecvOp>(action))
      n.lines[0] = "recv from " + recv.getFrom().str(),
      n.lines.push_back("channel " + std::to_string(recv.getChannel()));
    if (auto start = dyn_cast<ir::AllReduceStartOp>(action))
      n.lines[0] = "start", n.lines.push_back("all_reduce " + std::to_string(start.getCollective()));
    if (auto wait = dyn_cast<ir::AllReduceWaitOp>(action))
      n.lines[0] = "wait", n.lines.push_back("all_reduce " + std::to_string(wait.getCollective()));
    if (!n.tooltip.empty()) n.lines.push_back(n.tooltip);
  }
}

void DotBuilder::add_op(Operation* op, StringRef device, StringRef role, size_t calls) {
  if (isa<ir::ConstantOp, ir::TypeOnlyOp>(op)) return;
  auto placed = dyn_cast<ir::PlacedOpInterface>(op);
  if (placed && placed.placement().device) device = placed.placement().device.getValue();
  DotNode& n = node(op, device, op->getName().stripDialect());
  const std::string layer = ir::layer_of(op->getLoc());
  layers_[n.id] = {device.str(), layer, role.str(), isa<ir::ReadOp, ir::AssignOp>(op)};
  // The cluster of an inner scope is in that of the outer one. The forward, backward and update ops of a layer are in separate
  // clusters, because ops of other layers are between them.
  StringRef outer, inner = layer;
  for (bool first = true; !inner.empty(); first = false) {
    std::tie(outer, inner) = inner.split('/');
    n.clusters.push_back(!first || role.empty() || role == "forward" ? outer.str() : (outer + " " + role).str());
  }
  if (auto read = dyn_cast<ir::ReadOp>(op))
    n.lines[0] = "@" + read.getVariable().str(), n.round = true, n.fill = "#fff7cc";
  if (auto assign = dyn_cast<ir::AssignOp>(op))
    n.lines[0] = "assign @" + assign.getVariable().str(), n.round = true, n.fill = "#fff7cc";
  if (calls > 1 && placed) n.lines[0] += " (" + std::to_string(calls) + " times)";
  if (op->getNumResults() > 0) n.lines.push_back(type_text(op->getResult(0).getType()));
  if (auto kernel = op->getAttrOfType<StringAttr>(kKernel)) n.lines.push_back(kernel.str());
  if (!n.tooltip.empty()) n.lines.push_back(n.tooltip);
  if (!role.empty()) n.tooltip += " (" + role.str() + ")";
  if (role.starts_with("backward")) n.fill = "#eef0f3";
  if (placed && placed.placement().reason)
    n.tooltip += " on " + device.str() + " because " + placed.placement().reason.str();
}

bool DotBuilder::is_first(ir::CallOp call) const { return calls_.lookup(call.getRole()).front() == call; }

void DotBuilder::find_sources(Value value, unsigned element, llvm::SmallDenseSet<std::pair<Value, unsigned>>& seen,
                              std::set<std::string>& sources) {
  if (!seen.insert({value, element}).second) return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!function) return;
    auto calls = calls_.find(function.getName());
    if (calls == calls_.end()) return void(sources.insert("arg" + std::to_string(argument.getArgNumber())));
    for (ir::CallOp call : calls->second) {
      const auto [given, element] = call.element_of_argument(argument.getArgNumber());
      find_sources(given, element, seen, sources);
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

DotGraph DotBuilder::by_layer() const {
  DotGraph result;
  result.title = graph_.title;
  std::map<std::string, std::string> layer_of;
  std::map<std::string, size_t> index;
  for (const DotNode& n : graph_.nodes) {
    if (details_.contains(n.id)) continue;
    auto it = layers_.find(n.id);
    if (it == layers_.end()) {
      result.nodes.push_back(n);
      if (n.clusters.size() > 1) result.nodes.back().clusters.resize(1);
      layer_of[n.id] = n.id;
      continue;
    }
    const auto& [device, layer, role, variable] = it->second;
    const bool forward = role.empty() || role == "forward";
    const std::string name = (layer.empty() ? "other" : layer) + (forward ? "" : " " + role), id = device + "/" + name;
    auto [at, fresh] = index.try_emplace(id, result.nodes.size());
    if (fresh) {
      result.nodes.push_back({id,
                              {},
                              {name},
                              StringRef(role).starts_with("backward") ? "#eef0f3"
                              : role == "update"                      ? "#fff7cc"
                                                                      : "",
                              "",
                              false});
      if (!device.empty()) result.nodes.back().clusters = {device};
    }
    constexpr size_t kLines = 7;
    auto& lines = result.nodes[at->second].lines;
    if (!variable && lines.size() < kLines) lines.push_back(lines.size() + 1 < kLines ? n.lines[0] : "...");
    layer_of[n.id] = id;
  }
  std::map<std::pair<std::string, std::string>, bool> seen;
  for (const DotEdge& e : graph_.edges) {
    if (details_.contains(e.from) || details_.contains(e.to)) continue;
    const std::string from = layer_of[e.from], to = layer_of[e.to];
    if (from != to && seen.try_emplace({from, to}, true).second)
      result.edges.push_back({from, to, e.label, e.cut, e.invisible});
  }
  return result;
}

}  // namespace cutset::passes
