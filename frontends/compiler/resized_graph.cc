// SPDX-License-Identifier: Apache-2.0
#include "frontends/compiler/resized_graph.h"

#include <map>
#include <set>

#include "ir/structural/structural.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "passes/passes.h"
#include "passes/support/graph_functions.h"
#include "passes/support/rewriting.h"

using namespace mlir;

namespace cutset {

namespace {

class MlirResizedGraph : public ResizedGraph {
 public:
  MlirResizedGraph(GraphBuilder& graph, func::FuncOp function, std::vector<Value>& values, OpBuilder& builder,
                   const std::map<std::string, Shape>& input_shapes, const std::string& only)
      : graph_(graph),
        function_(function),
        values_(values),
        builder_(builder),
        next_(&function.front().front()) {
    for (BlockArgument argument : function.getArguments()) {
      const auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), passes::kInput);
      const auto shape = name ? input_shapes.find(name.str()) : input_shapes.end();
      if (shape == input_shapes.end()) continue;
      argument.setType(cast<RankedTensorType>(argument.getType()).clone(ArrayRef<int64_t>(shape->second)));
    }
    // Numbers the ops in the order in which make-functions numbers them, so that a plan for the graph names
    // the same ops.
    int64_t id = 1;
    function.walk([&](ir::PlacedOpInterface op) { op.placement().id = id++; });
    if (!only.empty()) keep_only(only);
  }

  void infer_until(const BuiltPart& part) override {
    infer_before(ops_of(part).front());
    builder_.setInsertionPoint(next_);
    last_before_ = next_->getPrevNode();
  }

  Result<TensorType> type_of(int value) override {
    const Value v = values_[static_cast<size_t>(value)];
    const auto given_up = given_up_.find(v.getDefiningOp());
    if (given_up != given_up_.end()) return failures_[given_up->second];
    return *ir::tensor_type(v.getType());
  }

  Status replace(const BuiltPart& part, const std::vector<int>& results) override {
    const SmallVector<Operation*> old = ops_of(part);
    give_ids(old);
    Operation* behind = old.back()->getNextNode();
    for (size_t i = 0; i < part.results.size(); ++i) {
      if (part.results[i] < 0) continue;
      if (i >= results.size() || results[i] < 0) return failed_to_replace();
      Value& before = values_[static_cast<size_t>(part.results[i])];
      const Value now = values_[static_cast<size_t>(results[i])];
      before.replaceAllUsesWith(now);
      before = now;
    }
    const llvm::SmallPtrSet<Operation*, 8> erased(old.begin(), old.end());
    for (int id = part.first; id < part.end; ++id)
      if (Value& v = values_[static_cast<size_t>(id)]; v && erased.contains(v.getDefiningOp())) v = {};
    for (Operation* op : llvm::reverse(old)) {
      if (!op->use_empty()) return failed_to_replace();
      op->erase();
    }
    next_ = behind;
    return {};
  }

  void give_up(const BuiltPart& part, const Failure& failure) override {
    failures_.push_back(failure);
    const SmallVector<Operation*> old = ops_of(part);
    for (Operation* op : old) given_up_[op] = failures_.size() - 1;
    next_ = old.back()->getNextNode();
  }

  Result<std::shared_ptr<const GraphSnapshot>> finish() override {
    Operation* end = function_.front().getTerminator();
    infer_before(end);
    builder_.setInsertionPoint(end);
    const auto needed = needed_ops(end);
    if (!needed) return needed.error();
    SmallVector<Operation*> all;
    for (Operation& op : function_.front().without_terminator()) all.push_back(&op);
    for (Value& v : values_)
      if (v && v.getDefiningOp() && !needed->contains(v.getDefiningOp())) v = {};
    for (Operation* op : llvm::reverse(all))
      if (!needed->contains(op)) op->erase();
    function_.setType(FunctionType::get(function_.getContext(), function_.front().getArgumentTypes(),
                                        end->getOperandTypes()));
    return std::shared_ptr<const GraphSnapshot>(graph_.snapshot());
  }

 private:
  // Returns the ops of a part, in order. A kept call has at least one op, which makes its result.
  SmallVector<Operation*> ops_of(const BuiltPart& part) const {
    SmallVector<Operation*> ops;
    for (int id = part.first; id < part.end; ++id) {
      const Value v = values_[static_cast<size_t>(id)];
      Operation* op = v ? v.getDefiningOp() : nullptr;
      if (op && (ops.empty() || ops.back() != op)) ops.push_back(op);
    }
    return ops;
  }

  static Failure failed_to_replace() {
    return execution_failed("a part of the graph cannot be built again for other shapes",
                            "this is an error of Cutset; please report it with the graph");
  }

  // Infers the types of the ops from `next_` to the op before `end`. Afterwards `next_` is `end`.
  void infer_before(Operation* end) {
    for (; next_ != end; next_ = next_->getNextNode()) {
      const auto operand = llvm::find_if(next_->getOperands(), [&](Value v) { return is_given_up(v); });
      if (operand != next_->operand_end())
        given_up_[next_] = given_up_.at((*operand).getDefiningOp());
      else if (auto either = dyn_cast<ir::WhenTrainingOp>(next_))
        infer(either);
      else if (auto inferred = dyn_cast<InferTypeOpInterface>(next_))
        infer(inferred);
    }
  }
  // This op is left only if no function was chosen.
  void infer(ir::WhenTrainingOp either) {
    const auto training = cast<RankedTensorType>(either.getTraining().getType());
    either.getValue().setType(training);
    if (training == either.getOtherwise().getType()) return;
    Failure failure =
        invalid_argument("when_training chooses between " + to_string(*ir::tensor_type(training)) + " and " +
                         to_string(*ir::tensor_type(either.getOtherwise().getType())));
    failure.source = ir::source_of(either.getLoc());
    give_up(either, failure);
  }
  void give_up(Operation* op, const Failure& failure) {
    given_up_[op] = failures_.size();
    failures_.push_back(failure);
  }
  bool is_given_up(Value v) const { return v.getDefiningOp() && given_up_.contains(v.getDefiningOp()); }

  void infer(InferTypeOpInterface op) {
    Failure failure = execution_failed("the types of an op cannot be inferred");
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic& d) {
      failure = invalid_argument(d.str());
      failure.source = ir::source_of(d.getLocation());
      return success();
    });
    if (failed(passes::infer_again(op))) give_up(op, failure);
  }

  // Gives each new op the id of an old op with its name, source and layer. If there is none, the new op gets
  // the id of an old op with its name, or else the id of the op before it.
  void give_ids(ArrayRef<Operation*> old) {
    using Key = std::pair<StringRef, Location>;
    std::map<StringRef, SmallVector<int64_t>> by_name;  // the ids, the first one at the end
    llvm::DenseMap<Key, SmallVector<int64_t>> by_source;
    std::set<int64_t> unused;
    int64_t last = 0;
    for (Operation* op : llvm::reverse(old))
      if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) {
        unused.insert(last = placed.placement().id);
        by_name[op->getName().getStringRef()].push_back(last);
        by_source[Key(op->getName().getStringRef(), op->getLoc())].push_back(last);
      }
    const auto take = [&](SmallVector<int64_t>& ids) {
      while (!ids.empty()) {
        const int64_t id = ids.pop_back_val();
        if (unused.erase(id)) return id;
      }
      return int64_t{0};
    };
    Operation* first = last_before_ ? last_before_->getNextNode() : &function_.front().front();
    SmallVector<ir::PlacedOpInterface> new_ops;
    for (Operation* op = first; op != old.front(); op = op->getNextNode())
      if (auto placed = dyn_cast<ir::PlacedOpInterface>(op)) new_ops.push_back(placed);
    for (ir::PlacedOpInterface op : new_ops)
      op.placement().id = take(by_source[Key(op->getName().getStringRef(), op->getLoc())]);
    for (ir::PlacedOpInterface op : new_ops) {
      int64_t& id = op.placement().id;
      if (!id) id = take(by_name[op->getName().getStringRef()]);
      if (!id) id = last;
      last = id;
    }
  }

  // Replaces the outputs of other functions by values without contents, and chooses the values of this
  // function.
  void keep_only(const std::string& function) {
    Operation* end = function_.front().getTerminator();
    OpBuilder builder(end);
    const auto name = StringAttr::get(function_.getContext(), function);
    const passes::GraphFunction wanted_function = passes::functions_of(function_).lookup(name);
    const auto assignments = passes::assignments_of(function_, name, wanted_function,
                                                    passes::needed_by_results(function_, wanted_function));
    const DenseSet<Operation*> needed(assignments.begin(), assignments.end());
    for (auto assign : llvm::to_vector(function_.getOps<ir::AssignOp>()))
      if (!needed.contains(assign)) assign.erase();
    const auto chosen = [&](ir::WhenTrainingOp either) {
      return wanted_function.trains ? either.getTraining() : either.getOtherwise();
    };
    function_.walk([&](ir::WhenTrainingOp either) { either.getValue().replaceAllUsesWith(chosen(either)); });
    for (Value& v : values_)
      while (auto either = v ? v.getDefiningOp<ir::WhenTrainingOp>() : nullptr) v = chosen(either);
    for (unsigned i = 0; i < end->getNumOperands(); ++i) {
      if (llvm::is_contained(wanted_function.results, i)) continue;
      const auto type = cast<RankedTensorType>(end->getOperand(i).getType());
      end->setOperand(i, ir::TypeOnlyOp::create(builder, end->getLoc(), type));
    }
  }

  // Returns the ops that the outputs and assignments need. Fails if one of them was given up.
  Result<DenseSet<Operation*>> needed_ops(Operation* end) {
    DenseSet<Operation*> needed;
    SmallVector<Operation*> work{end};
    for (auto assign : function_.getOps<ir::AssignOp>()) {
      needed.insert(assign);
      work.push_back(assign);
    }
    while (!work.empty()) {
      Operation* op = work.pop_back_val();
      if (const auto given_up = given_up_.find(op); given_up != given_up_.end())
        return failures_[given_up->second];
      for (Value v : op->getOperands())
        if (v.getDefiningOp() && needed.insert(v.getDefiningOp()).second) work.push_back(v.getDefiningOp());
    }
    return needed;
  }

  GraphBuilder& graph_;
  func::FuncOp function_;
  std::vector<Value>& values_;
  OpBuilder& builder_;
  Operation* next_;                   // the first op whose types have not been inferred
  Operation* last_before_ = nullptr;  // the op before the ops that are built now; null: there is none
  std::vector<Failure> failures_;
  DenseMap<Operation*, size_t> given_up_;  // the ops that were given up, with the failure
};

}  // namespace

std::unique_ptr<ResizedGraph> resize_graph(GraphBuilder& graph, func::FuncOp function,
                                           std::vector<Value>& values, OpBuilder& builder,
                                           const std::map<std::string, Shape>& input_shapes,
                                           const std::string& only) {
  return std::make_unique<MlirResizedGraph>(graph, function, values, builder, input_shapes, only);
}

}  // namespace cutset
