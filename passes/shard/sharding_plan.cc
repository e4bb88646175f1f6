// SPDX-License-Identifier: Apache-2.0
#include "passes/shard/sharding_plan.h"

#include <limits>

#include "graph/partition/labeling.h"
#include "ir/structural/structural.h"
#include "passes/passes.h"
#include "passes/shard/sharding_costs.h"
#include "passes/support/layout/batch.h"

using namespace mlir;

namespace cutset::passes {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns the dimension along which the batch is divided, for each value of the function that has rows of the
// batch.
DenseMap<Value, Layout> batch_layouts(func::FuncOp function) {
  DenseMap<Value, Layout> layouts;
  const Batch batch = batch_of(function);
  for (BlockArgument a : function.getArguments()) layouts[a] = batch.layouts[a.getArgNumber()];
  for (Operation& op : function.getBody().front().without_terminator()) {
    SmallVector<Layout> have;
    for (Value v : op.getOperands()) have.push_back(layouts.lookup(v));
    const OpLayout layout = layout_of(&op, have, {.samples = batch.samples});
    for (auto [r, v] : llvm::enumerate(op.getResults())) layouts[v] = layout.results[r];
  }
  return layouts;
}

// A label of a value: the form in which it is kept, and the form in which the parts of its gradient are
// summed.
struct ValueLabel {
  Layout form = kWhole, gradient = kWhole;
};

double bytes_of(Value v) { return static_cast<double>(ir::tensor_type(v.getType())->bytes()); }
bool is_update(Operation* op) {
  auto rules = dyn_cast<ir::CutsetOpInterface>(op);
  return rules && rules.op_info().updates > 0;
}
OpLayout whole(Operation* op) {
  OpLayout layout;
  layout.operands.assign(op->getNumOperands(), kWhole);
  layout.results.assign(op->getNumResults(), kWhole);
  return layout;
}

class Planner {
 public:
  Planner(func::FuncOp function, const CompileConfig& config, const DividedVariables* variables)
      : function_(function),
        config_(config),
        collectives_(config),
        batch_(batch_layouts(function)),
        devices_(config.strategy.tensor_devices()),
        variables_(variables) {
    plan_.units = PieceUnits(function, devices_, batch_, variables);
    for (auto v : function->getParentOfType<ModuleOp>().getOps<ir::VariableOp>())
      if (auto d = v.getDividedAttr()) wanted_[v.getSymName()] = static_cast<Layout>(d.getInt());
    if (!variables) updates_ = updates_of(function->getParentOfType<ModuleOp>());
  }

  ShardingPlan run() {
    SmallVector<Operation*> forward, others;
    sort_ops(forward, others);
    for (Operation* op : forward) add_op(op);
    for (Value v : function_.getBody().front().getTerminator()->getOperands()) must_become(v, kWhole);
    choose(forward);
    divide_states(function_->getParentOfType<ModuleOp>(), plan_.variables);
    keep_forms(forward);
    for (Operation* op : others) {
      if (auto read = dyn_cast<ir::ReadOp>(op); read && !known_.contains(read.getValue()))
        known_[read.getValue()].push_back(layout_of_variable(read.getVariable()));
      if (auto assign = dyn_cast<ir::AssignOp>(op))
        must_become(assign.getValue(), layout_of_variable(assign.getVariable()));
      if (!isa<ir::CutsetOpInterface>(op)) continue;
      if (is_update(op))  // the variable keeps what the update computes
        for (auto [r, v] : llvm::enumerate(op->getResults()))
          known_[v].push_back(layouts_of(op)[0].results[r]);
      add_op(op);
    }
    choose(others);
    for (Operation& op : function_.getBody().front().without_terminator()) {
      if (plan_.layouts.contains(&op)) continue;
      OpLayout layout = whole(&op);
      if (auto read = dyn_cast<ir::ReadOp>(&op)) layout.results[0] = layout_of_variable(read.getVariable());
      if (auto assign = dyn_cast<ir::AssignOp>(&op))
        layout.operands[0] = layout_of_variable(assign.getVariable());
      plan_.layouts[&op] = std::move(layout);
    }
    return std::move(plan_);
  }

 private:
  // Sorts the ops into `forward`, the ops on which a result depends, and `others`. Also notes which values
  // have a gradient: the values that depend on a variable.
  void sort_ops(SmallVector<Operation*>& forward, SmallVector<Operation*>& others) {
    DenseSet<Operation*> needed;
    SmallVector<Operation*> work{function_.getBody().front().getTerminator()};
    while (!work.empty())
      for (Value v : work.pop_back_val()->getOperands())
        if (Operation* definer = v.getDefiningOp();
            definer && !is_update(definer) && needed.insert(definer).second)
          work.push_back(definer);
    for (Operation& op : function_.getBody().front().without_terminator()) {
      trains_ |= is_update(&op);
      (needed.contains(&op) && isa<ir::CutsetOpInterface>(op) ? forward : others).push_back(&op);
      if (isa<ir::ReadOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) { return varies_.contains(v); }))
        varies_.insert(op.getResults().begin(), op.getResults().end());
    }
  }
  // Whether the current problem counts the collectives of a gradient of the value.
  bool has_gradient(Value v) const {
    return is_forward_ && trains_ && varies_.contains(v) &&
           isa<FloatType>(cast<RankedTensorType>(v.getType()).getElementType());
  }

  // Returns the ways in which the current problem may compute the op.
  SmallVector<OpLayout> layouts_of(Operation* op) const {
    const OpInfo& info = cast<ir::CutsetOpInterface>(op).op_info();
    const auto& factors = plan_.units.rule(op).factors;
    const auto divided = [&](size_t f) {
      OpLayout its;
      its.split = true;
      its.factor = static_cast<int>(f);
      const Factor& factor = factors[f];
      its.operands.assign(factor.operands.begin(), factor.operands.end());
      its.results.assign(factor.results.begin(), factor.results.end());
      return its;
    };
    if (info.updates > 0) {  // the update of a piece
      auto read = op->getOperand(0).getDefiningOp<ir::ReadOp>();
      const Layout its = read ? layout_of_variable(read.getVariable()) : kWhole;
      for (size_t f = 0; its >= 0 && f < factors.size(); ++f)
        if (factors[f].operands[0] == its && factors[f].is_parallel()) return {divided(f)};
      return {whole(op)};
    }
    SmallVector<OpLayout> layouts{whole(op)};
    for (size_t f = 0; f < factors.size() && !info.positional; ++f)  // a piece of a positional op has gaps
      if (plan_.units.of_factor(op, static_cast<int>(f)) > 0) layouts.push_back(divided(f));
    if (!is_forward_ &&
        ir::is_op(op, "add_n")) {  // a sum of partial sums, so that one collective adds all of them
      OpLayout& sum = layouts.emplace_back(whole(op));
      sum.split = true;
      sum.operands.assign(op->getNumOperands(), kPartial);
      sum.results = {kPartial};
    }
    return layouts;
  }

  void add_op(Operation* op) {
    const OpInfo& info = cast<ir::CutsetOpInterface>(op).op_info();
    auto& layouts = layouts_[op] = layouts_of(op);
    // The backward ops of an op take about twice as long as the op.
    const double time = seconds_of(op, config_) * (is_forward_ && trains_ ? 3 : 1);
    std::vector<double> cost;
    for (const OpLayout& l : layouts) cost.push_back(time / (l.split ? static_cast<double>(devices_) : 1));
    const int32_t node = node_of_op_[op] = add_node(cost);
    for (auto [i, v] : llvm::enumerate(op->getOperands())) {
      if (info.reads_type_only(i) || v.getDefiningOp<ir::ConstantOp>()) continue;
      if (auto known = known_.find(v); known != known_.end()) {
        for (auto [l, layout] : llvm::enumerate(layouts))
          problem_.node_cost[static_cast<size_t>(node)][l] +=
              least(known->second, layout.operands[i], bytes_of(v));
        continue;
      }
      add_edge(v, node, [&](const ValueLabel& l, size_t layout) {
        return read_cost(v, l, layouts[layout].operands[i], layouts[layout].split);
      });
    }
    for (auto [r, v] : llvm::enumerate(op->getResults()))
      if (!v.use_empty() && !known_.contains(v))
        add_edge(v, node, [&](const ValueLabel& l, size_t layout) {
          return write_cost(v, l, layouts[layout].results[r]);
        });
  }
  // Adds an edge between the value and the last op that was added.
  void add_edge(Value v, int32_t op, function_ref<double(const ValueLabel&, size_t layout)> cost) {
    const int32_t value = node_of(v);
    std::vector<std::vector<double>> table;
    for (const ValueLabel& l : labels_[v]) {
      auto& row = table.emplace_back();
      for (size_t i = 0; i < problem_.node_cost[static_cast<size_t>(op)].size(); ++i)
        row.push_back(cost(l, i));
    }
    problem_.edges.push_back({value, op, std::move(table)});
  }

  // Returns the time in seconds to convert a value from the form `from` to the form `to`; infinity: this is
  // not possible.
  double convert(Layout from, Layout to, double bytes) const {
    if (from != to && to == kPartial) return kInfinity;
    return collectives_.seconds(from, to, bytes);
  }
  double least(ArrayRef<Layout> forms, Layout to, double bytes) const {
    double best = kInfinity;
    for (Layout from : forms) best = std::min(best, convert(from, to, bytes));
    return best;
  }
  // Returns the time of the collectives between a value of label `l` and an op that reads it in the layout
  // `need`.
  double read_cost(Value v, const ValueLabel& l, Layout need, bool divided) const {
    const double cost = convert(l.form, need, bytes_of(v));
    if (!has_gradient(v)) return cost;
    const Layout gradient = need >= 0 ? need : divided ? kPartial : kWhole;
    // A whole gradient needs no collective before it is added to the sum of the partial sums.
    return cost + collectives_.seconds(
                      gradient, l.gradient == kPartial && gradient >= 0 ? kWhole : l.gradient, bytes_of(v));
  }
  // Returns the time of the collectives between an op that computes a value in the layout `have` and the
  // value of label `l`.
  double write_cost(Value v, const ValueLabel& l, Layout have) const {
    double cost = convert(have, l.form, bytes_of(v));
    if (has_gradient(v)) cost += collectives_.seconds(l.gradient, have >= 0 ? have : kWhole, bytes_of(v));
    return cost;
  }
  // Adds the time to make a form that is always needed.
  void must_become(Value v, Layout form) {
    if (known_.contains(v) || !v.getDefiningOp<ir::CutsetOpInterface>()) return;
    auto& cost = problem_.node_cost[static_cast<size_t>(node_of(v))];
    for (auto [l, label] : llvm::enumerate(labels_[v])) cost[l] += convert(label.form, form, bytes_of(v));
  }

  int32_t add_node(std::vector<double> cost) {
    problem_.node_cost.push_back(std::move(cost));
    return static_cast<int32_t>(problem_.node_cost.size()) - 1;
  }
  int32_t node_of(Value v) {
    auto known = node_of_value_.find(v);
    if (known != node_of_value_.end()) return known->second;
    auto& labels = labels_[v];
    labels.push_back({kWhole, kWhole});
    if (has_gradient(v)) labels.push_back({kWhole, kPartial});
    if (!is_forward_) labels.push_back({kPartial, kWhole});
    auto type = cast<RankedTensorType>(v.getType());
    for (int d = 0; d < type.getRank(); ++d)
      if (plan_.units.can_divide(v, d) && can_keep(v, d)) labels.push_back({d, d});
    std::vector<double> cost;
    for (const ValueLabel& l : labels) cost.push_back(own_cost(v, l));
    return node_of_value_[v] = add_node(std::move(cost));
  }
  // Whether a value can be kept in pieces along the dimension. The replicas divide each piece of a variable
  // again, so the smaller pieces must lie inside the pieces of the axis.
  bool can_keep(Value v, Layout d) const {
    const Data* data = config_.strategy.find<Data>();
    return !data || data->shard == Data::Shard::kNothing || !v.getDefiningOp<ir::ReadOp>() ||
           plan_.units.divides_evenly(v, d, data->replicas);
  }
  // Returns the costs of a value that depend neither on its readers nor on the op that computes it. For an
  // argument, this is the time to divide it. For a variable, it is the time of its update and of the sum of
  // its gradient over the replicas.
  double own_cost(Value v, const ValueLabel& l) const {
    if (isa<BlockArgument>(v)) return convert(kWhole, l.form, bytes_of(v));
    auto read = v.getDefiningOp<ir::ReadOp>();
    if (!read) return 0;
    if (variables_ && l.form != layout_of_variable(read.getVariable())) return kInfinity;
    if (auto wanted = wanted_.find(read.getVariable()); wanted != wanted_.end() && l.form != wanted->second)
      return kInfinity;
    if (auto update = updates_.find(read.getVariable());
        update != updates_.end() && l.form >= 0 &&
        !llvm::all_of(update->second, [&](Operation* op) { return plan_.units.can_update(op, l.form); }))
      return kInfinity;
    if (!has_gradient(v)) return 0;
    const double part = bytes_of(v) / (l.form >= 0 ? static_cast<double>(devices_) : 1);
    double most = 0;
    for (const auto& d : config_.devices) {
      const double update = d->seconds({.flops = part, .bytes_read = 3 * part, .bytes_written = 2 * part});
      const double sum =
          config_.strategy.replicas() > 1 ? 2 * d->transfer_seconds(static_cast<int64_t>(part)) : 0;
      most = std::max(most, update + sum);
    }
    return most + (l.gradient == kPartial ? collectives_.seconds(kPartial, kWhole, bytes_of(v)) : 0);
  }
  Layout layout_of_variable(StringRef name) const {
    const DividedVariables& variables = variables_ ? *variables_ : plan_.variables;
    auto its = variables.find(name.str());
    return its == variables.end() ? kWhole : its->second.axis;
  }

  // Solves the current problem, and writes its answer to the plan.
  void choose(ArrayRef<Operation*> ops) {
    const auto chosen = choose_labels(problem_);
    const auto label = [&](int32_t node) {
      return chosen.ok() ? static_cast<size_t>(chosen->label[static_cast<size_t>(node)]) : 0;
    };
    for (Operation* op : ops)
      if (auto node = node_of_op_.find(op); node != node_of_op_.end())
        plan_.layouts[op] = layouts_[op][label(node->second)];
    for (auto& [value, node] : node_of_value_) {
      const Layout form = plan_.forms[value] = labels_[value][label(node)].form;
      auto read = value.getDefiningOp<ir::ReadOp>();
      if (read && form >= 0) plan_.variables[read.getVariable().str()] = {form, plan_.units.of(value, form)};
    }
  }
  // Remembers the forms in which the forward ops keep and read the values, and begins the problem of the
  // other ops.
  void keep_forms(ArrayRef<Operation*> forward) {
    const auto add = [&](Value v, Layout form) {
      auto& forms = known_[v];
      if (!llvm::is_contained(forms, form)) forms.push_back(form);
    };
    for (BlockArgument a : function_.getArguments()) add(a, kWhole);
    for (auto& [value, node] : node_of_value_) add(value, plan_.forms[value]);
    for (Operation* op : forward) {
      for (auto [i, v] : llvm::enumerate(op->getOperands())) add(v, plan_.layouts[op].operands[i]);
      for (auto [r, v] : llvm::enumerate(op->getResults())) add(v, plan_.layouts[op].results[r]);
    }
    problem_ = {};
    node_of_value_.clear();
    labels_.clear();
    is_forward_ = false;
  }

  func::FuncOp function_;
  const CompileConfig& config_;
  const CollectiveCosts collectives_;
  const DenseMap<Value, Layout> batch_;
  const int64_t devices_;
  const DividedVariables* variables_;
  llvm::StringMap<Layout> wanted_;  // the dimensions that the user fixed, by the variable
  ShardingPlan plan_;
  // The updates of the variables that the plan divides.
  llvm::StringMap<SmallVector<ir::CutsetOpInterface>> updates_;
  bool trains_ = false, is_forward_ = true;
  DenseSet<Value> varies_;
  LabelingProblem problem_;
  DenseMap<Operation*, int32_t> node_of_op_;
  DenseMap<Operation*, SmallVector<OpLayout>> layouts_;  // by label of the op
  llvm::MapVector<Value, int32_t> node_of_value_;
  DenseMap<Value, SmallVector<ValueLabel>> labels_;
  DenseMap<Value, SmallVector<Layout>>
      known_;  // the forms of a value that the current problem does not choose
};

}  // namespace

void divide_states(ModuleOp module, DividedVariables& variables) {
  for (auto v : module.getOps<ir::VariableOp>())
    if (auto owner = variables.find(v.getStateOf().value_or("").str());
        owner != variables.end() && v.has_shape_of(module.lookupSymbol<ir::VariableOp>(owner->first)))
      variables[v.getSymName().str()] = owner->second;
}

ShardingPlan plan_shardings(func::FuncOp function, const CompileConfig& config,
                            const DividedVariables* variables) {
  return Planner(function, config, variables).run();
}

}  // namespace cutset::passes
